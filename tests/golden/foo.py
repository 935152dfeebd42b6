# pullback

def foo_forward(x, y):
    a = math.sin(x)  # golden_programs.py:36
    b = math.cos(y)  # golden_programs.py:37
    return a * b + a, (b, a, y, x)  # golden_programs.py:38


def foo_back(saved, y_bar):
    b, a, y, x = saved
    b_bar = y_bar * a  # golden_programs.py:38
    a_bar = y_bar + y_bar * b
    y_bar = -b_bar * math.sin(y)  # golden_programs.py:37
    x_bar = a_bar * math.cos(x)  # golden_programs.py:36
    return x_bar, y_bar


# gradient

def foo_gradient(x, y):
    a = math.sin(x)  # golden_programs.py:36
    b = math.cos(y)  # golden_programs.py:37
    a_bar = 1.0 + b  # golden_programs.py:38
    y_bar = -a * math.sin(y)  # golden_programs.py:37
    x_bar = a_bar * math.cos(x)  # golden_programs.py:36
    return x_bar, y_bar
