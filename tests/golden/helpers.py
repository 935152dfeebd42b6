# pullback

def helpers_forward(x, y):
    difference = x - y  # golden_programs.py:90
    t, saved = arc_forward(x, y)  # golden_programs.py:107
    t_1, saved_1 = arc_forward(y, 2.0 * x)
    return difference * difference + t * t_1, (t_1, t, saved_1, saved, difference)


def helpers_back(saved, y_bar):
    t, t_1, saved, saved_1, difference = saved
    y_bar_1, t_1 = arc_back(saved, y_bar * t_1)  # golden_programs.py:107
    x_bar = t_1 * 2.0
    t, t_1 = arc_back(saved_1, y_bar * t)
    x_bar += t
    y_bar_1 += t_1
    difference_bar = y_bar * difference  # golden_programs.py:91
    difference_bar += difference_bar
    x_bar += difference_bar  # golden_programs.py:90
    y_bar = y_bar_1 - difference_bar
    return x_bar, y_bar


# gradient

def helpers_gradient(x, y):
    difference = x - y  # golden_programs.py:90
    t, saved = arc_forward(x, y)  # golden_programs.py:107
    t_1, saved_1 = arc_forward(y, 2.0 * x)
    y_bar, t = arc_back(saved_1, t)
    x_bar = t * 2.0
    t, t_1 = arc_back(saved, t_1)
    x_bar += t
    y_bar += t_1
    difference_bar = difference + difference  # golden_programs.py:91
    x_bar += difference_bar  # golden_programs.py:90
    y_bar -= difference_bar
    return x_bar, y_bar
