# pullback

def branches_forward(x, y):
    t = x > y  # golden_programs.py:42
    if t:
        return x * y, (t, y, x, None, None, None)  # golden_programs.py:43
    if x < 0.0:  # golden_programs.py:44
        x_1 = -x  # golden_programs.py:45
        leave = 0
        result_1 = Unbound
        result = None
    else:
        if y > 1.0:  # golden_programs.py:46
            result_1 = math.exp(x)  # golden_programs.py:47
            leave = 1
            result = result_1
        else:
            leave = 0
            result_1 = Unbound
            result = None
        x_1 = x  # golden_programs.py:46
    t_1 = leave == 1  # golden_programs.py:44
    if not t_1:
        result_1 = x_1 * x_1 + y  # golden_programs.py:48
    return result_1, (t, y, x, t_1, x_1, result)  # golden_programs.py:44


def branches_back(saved, result_bar):
    t, y, x, t_1, x_1, result = saved
    if t:  # golden_programs.py:42
        x_bar = result_bar * y  # golden_programs.py:43
        y_bar = result_bar * x
        return x_bar, y_bar  # golden_programs.py:47
    t = x < 0.0  # golden_programs.py:44
    if t_1:
        y_bar = 0.0
        x_bar = 0.0
    else:
        x_bar = result_bar * x_1  # golden_programs.py:48
        x_bar += x_bar
        y_bar = result_bar
        result_bar = 0.0
    if t:  # golden_programs.py:44
        x_bar = -x_bar  # golden_programs.py:45
        return x_bar, y_bar  # golden_programs.py:47
    if y > 1.0:  # golden_programs.py:46
        x_bar += result_bar * result  # golden_programs.py:47
        return x_bar, y_bar
    return x_bar, y_bar


# gradient

def branches_gradient(x, y):
    t = x > y  # golden_programs.py:42
    if t:
        t_1 = None
        x_1 = None
        result = None
    else:
        if x < 0.0:  # golden_programs.py:44
            x_1 = -x  # golden_programs.py:45
            leave = 0
            result = None
        else:
            if y > 1.0:  # golden_programs.py:46
                result = math.exp(x)  # golden_programs.py:47
                leave = 1
            else:
                leave = 0
                result = None
            x_1 = x  # golden_programs.py:46
        t_1 = leave == 1  # golden_programs.py:44
    if t:  # golden_programs.py:42
        return y, x  # golden_programs.py:47
    t = x < 0.0  # golden_programs.py:44
    if t_1:
        result_bar = 1.0
        y_bar = 0.0
        x_bar = 0.0
    else:
        x_bar = x_1 + x_1  # golden_programs.py:48
        result_bar = 0.0
        y_bar = 1.0
    if t:  # golden_programs.py:44
        x_bar = -x_bar  # golden_programs.py:45
        return x_bar, y_bar  # golden_programs.py:47
    if y > 1.0:  # golden_programs.py:46
        x_bar += result_bar * result  # golden_programs.py:47
        return x_bar, y_bar
    return x_bar, y_bar
