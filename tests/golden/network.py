# pullback

def network_forward(layers, x):
    records = []  # golden_programs.py:111
    for W, b in layers:
        x_1 = np.tanh(W @ x + b)  # golden_programs.py:112
        records.append((x_1, x, W))
        x = x_1
    return np.sum(x * x), (x, layers, records)  # golden_programs.py:113


def network_back(saved, y_bar):
    x, layers, records = saved
    x_bar = y_bar * x  # golden_programs.py:113
    x_bar = x_bar + x_bar
    item_bars = []  # golden_programs.py:111
    for x, x_1, W in reversed(records):
        b_bar = x_bar * (1 - x * x)  # golden_programs.py:112
        W_bar = b_bar[:, None] * x_1
        item_bar = W_bar, b_bar  # golden_programs.py:111
        item_bars.append(item_bar)
        x_bar = W.T @ b_bar  # golden_programs.py:112
    layers_bar = from_reversed_items(item_bars, layers)  # golden_programs.py:111
    return layers_bar, x_bar


# gradient

def network_gradient(layers, x):
    records = []  # golden_programs.py:111
    for W, b in layers:
        x_1 = np.tanh(W @ x + b)  # golden_programs.py:112
        records.append((x_1, x, W))
        x = x_1
    x_bar = 1.0 * x  # golden_programs.py:113
    x_bar = x_bar + x_bar
    item_bars = []  # golden_programs.py:111
    for x, x_1, W in reversed(records):
        b_bar = x_bar * (1 - x * x)  # golden_programs.py:112
        W_bar = b_bar[:, None] * x_1
        item_bar = W_bar, b_bar  # golden_programs.py:111
        item_bars.append(item_bar)
        x_bar = W.T @ b_bar  # golden_programs.py:112
    layers_bar = from_reversed_items(item_bars, layers)  # golden_programs.py:111
    return layers_bar, x_bar
