# pullback

def halving_forward(x, limit):
    records = []  # golden_programs.py:65
    steps = 0
    while True:
        t = abs(x) > limit
        records.append((t, steps, x))
        if not t:
            break  # golden_programs.py:66
        if steps == 20:
            break
        x = x / 2.0 + 0.1 * math.sin(x)  # golden_programs.py:68
        steps += 1  # golden_programs.py:69
    return x * steps, (steps, records)  # golden_programs.py:70


def halving_back(saved, y_bar):
    steps, records = saved
    x_bar = y_bar * steps  # golden_programs.py:70
    for t, steps, x in reversed(records):  # golden_programs.py:65
        if t:
            if not steps == 20:  # golden_programs.py:66
                x_bar_1 = x_bar * 0.1 * math.cos(x)  # golden_programs.py:68
                x_bar = x_bar_1 + x_bar / 2.0
    return x_bar  # golden_programs.py:65


# gradient

def halving_gradient(x, limit):
    records = []  # golden_programs.py:65
    steps = 0
    while True:
        t = abs(x) > limit
        records.append((t, steps, x))
        if not t:
            break  # golden_programs.py:66
        if steps == 20:
            break
        x = x / 2.0 + 0.1 * math.sin(x)  # golden_programs.py:68
        steps += 1  # golden_programs.py:69
    x_bar = 1.0 * steps  # golden_programs.py:70
    for t, steps, x in reversed(records):  # golden_programs.py:65
        if t:
            if not steps == 20:  # golden_programs.py:66
                x_bar_1 = x_bar * 0.1 * math.cos(x)  # golden_programs.py:68
                x_bar = x_bar_1 + x_bar / 2.0
    return x_bar,
