# pullback

def fibonacci_forward(x, n):
    t = n < 2  # golden_programs.py:84
    if t:
        return x, (t, None, None)
    t_1, saved = fibonacci_forward(x, n - 1)  # golden_programs.py:86
    t_2, saved_1 = fibonacci_forward(x, n - 2)
    return t_1 + t_2, (t, saved_1, saved)


def fibonacci_back(saved, result_bar):
    t, saved, saved_1 = saved
    if t:  # golden_programs.py:84
        return result_bar
    x_bar = fibonacci_back(saved, result_bar)  # golden_programs.py:86
    x_bar += fibonacci_back(saved_1, result_bar)
    return x_bar


# gradient

def fibonacci_gradient(x, n):
    t = n < 2  # golden_programs.py:84
    if t:
        saved = None
        saved_1 = None
    else:
        _, saved_1 = fibonacci_forward(x, n - 1)  # golden_programs.py:86
        _, saved = fibonacci_forward(x, n - 2)
    if t:  # golden_programs.py:84
        return 1.0,  # golden_programs.py:86
    x_bar = fibonacci_back(saved, 1.0)
    x_bar += fibonacci_back(saved_1, 1.0)
    return x_bar,
