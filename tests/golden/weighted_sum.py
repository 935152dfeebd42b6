# pullback

def weighted_sum_forward(x, w):
    t = range(len(x))  # golden_programs.py:123
    records = []
    total = 0.0
    for i in t:
        t_1 = w[i]  # golden_programs.py:124
        t_2 = x[i]
        t_3 = t_2 ** 2
        records.append((t_3, t_1, t_2))
        total += t_1 * t_3
    w = prototype(w)  # golden_programs.py:123
    x = prototype(x)
    return total, (w, x, t, records)


def weighted_sum_back(saved, total_bar):
    w, x, t, records = saved
    w_bar = zeros_like(w)  # golden_programs.py:123
    x_bar = zeros_like(x)
    for (t, t_1, t_2), i in zip(reversed(records), reversed(t)):
        t = total_bar * t  # golden_programs.py:124
        x_bar[i] += total_bar * t_1 * (2 * t_2)
        w_bar[i] += t
    return x_bar, w_bar


# gradient

def weighted_sum_gradient(x, w):
    t = range(len(x))  # golden_programs.py:123
    records = []
    total = 0.0
    for i in t:
        t_1 = w[i]  # golden_programs.py:124
        t_2 = x[i]
        t_3 = t_2 ** 2
        records.append((t_3, t_1, t_2))
        total += t_1 * t_3
    w_bar = zeros_like(w)  # golden_programs.py:123
    x_bar = zeros_like(x)
    for (t, t_1, t_2), i in zip(reversed(records), reversed(t)):
        x_bar[i] += t_1 * (2 * t_2)  # golden_programs.py:124
        w_bar[i] += t
    return x_bar, w_bar
