# pullback

def power_forward(x, n):
    ys = []  # golden_programs.py:30
    y = 1.0
    for _ in range(n):
        ys.append(y)
        y *= x  # golden_programs.py:31
    return y, (ys, x)  # golden_programs.py:30


def power_back(saved, y_bar):
    ys, x = saved
    x_bar = 0.0  # golden_programs.py:30
    for y in reversed(ys):
        x_bar += y_bar * y  # golden_programs.py:31
        y_bar *= x
    return x_bar  # golden_programs.py:30


# gradient

def power_gradient(x, n):
    ys = []  # golden_programs.py:30
    y = 1.0
    for _ in range(n):
        ys.append(y)
        y *= x  # golden_programs.py:31
    y_bar = 1.0  # golden_programs.py:30
    x_bar = 0.0
    for y in reversed(ys):
        x_bar += y_bar * y  # golden_programs.py:31
        y_bar *= x
    return x_bar,
