# pullback

def bisection_forward(a, low, high):
    records = []  # golden_programs.py:52
    middle = Unbound
    while True:
        middle = 0.5 * (low + high)  # golden_programs.py:53
        t = high - low < 0.001  # golden_programs.py:54
        if t:
            stop = True
            t_1 = None
        else:
            t_1 = middle * middle > a  # golden_programs.py:56
            if t_1:
                high = middle
            else:
                low = middle
            stop = False
        records.append((t, t_1))  # golden_programs.py:54
        if stop:
            break
    middle = check_bound(middle, 'middle')  # golden_programs.py:60
    return middle, records


def bisection_back(records, middle_bar):
    high_bar = 0.0  # golden_programs.py:52
    low_bar = 0.0
    for t, t_1 in reversed(records):
        if not t:  # golden_programs.py:54
            if t_1:  # golden_programs.py:56
                middle_bar += high_bar
                high_bar = 0.0
            else:
                middle_bar += low_bar
                low_bar = 0.0
        t = middle_bar * 0.5  # golden_programs.py:53
        low_bar += t
        high_bar += t
        middle_bar = 0.0
    return low_bar, high_bar


# gradient

def bisection_gradient(a, low, high):
    records = []  # golden_programs.py:52
    middle = Unbound
    while True:
        middle = 0.5 * (low + high)  # golden_programs.py:53
        t = high - low < 0.001  # golden_programs.py:54
        if t:
            stop = True
            t_1 = None
        else:
            t_1 = middle * middle > a  # golden_programs.py:56
            if t_1:
                high = middle
            else:
                low = middle
            stop = False
        records.append((t, t_1))  # golden_programs.py:54
        if stop:
            break
    check_bound(middle, 'middle')  # golden_programs.py:60
    middle_bar = 1.0  # golden_programs.py:52
    high_bar = 0.0
    low_bar = 0.0
    for t, t_1 in reversed(records):
        if not t:  # golden_programs.py:54
            if t_1:  # golden_programs.py:56
                middle_bar += high_bar
                high_bar = 0.0
            else:
                middle_bar += low_bar
                low_bar = 0.0
        t = middle_bar * 0.5  # golden_programs.py:53
        low_bar += t
        high_bar += t
        middle_bar = 0.0
    return low_bar, high_bar
