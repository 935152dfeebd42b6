# pullback

def comprehension_forward(x, n):
    t = range(1, n + 1)  # golden_programs.py:166
    items = []
    records = []
    for i in t:
        t_1 = i * x
        t_2 = math.sin(t_1) / i
        records.append((t_2, t_1))
        items.append(t_2)
    return sum(items), (items, t, records)


def comprehension_back(saved, y_bar):
    items, t, records = saved
    items_bar = share_among(y_bar, items, 0)  # golden_programs.py:166
    x_bar = 0.0
    for (t, t_1), t_bar, i in zip(reversed(records), reversed(listed(items_bar, items)), reversed(t)):
        x_bar += materialised(t_bar, t) / i * math.cos(t_1) * i
    return x_bar


# gradient

def comprehension_gradient(x, n):
    t = range(1, n + 1)  # golden_programs.py:166
    items = []
    records = []
    for i in t:
        t_1 = i * x
        t_2 = math.sin(t_1) / i
        records.append((t_2, t_1))
        items.append(t_2)
    sum(items)
    items_bar = share_among(1.0, items, 0)
    x_bar = 0.0
    for (t, t_1), t_bar, i in zip(reversed(records), reversed(listed(items_bar, items)), reversed(t)):
        x_bar += materialised(t_bar, t) / i * math.cos(t_1) * i
    return x_bar,
