# pullback

def closure_forward(x, y):
    t, saved = scaled_forward(x, y)  # golden_programs.py:162
    t_1, saved_1 = scaled_forward_1(x, 1.0)
    t_1, saved_2 = scaled_forward(x, t_1)
    return t + t_1, (saved_2, saved_1, saved)


def closure_back(saved, y_bar):
    saved, saved_1, saved_2 = saved
    x_bar, t = scaled_back(saved, y_bar)  # golden_programs.py:162
    x_bar += scaled_back_1(saved_1, t)
    t, y_bar = scaled_back(saved_2, y_bar)
    x_bar += t
    return x_bar, y_bar  # golden_programs.py:159


# gradient

def closure_gradient(x, y):
    _, saved = scaled_forward(x, y)  # golden_programs.py:162
    t, saved_1 = scaled_forward_1(x, 1.0)
    _, saved_2 = scaled_forward(x, t)
    x_bar, t = scaled_back(saved_2, 1.0)
    x_bar += scaled_back_1(saved_1, t)
    t, y_bar = scaled_back(saved, 1.0)
    x_bar += t
    return x_bar, y_bar  # golden_programs.py:159
