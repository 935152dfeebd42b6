# pullback

def log_sum_exp_forward(x):
    largest = np.max(x)  # golden_programs.py:117
    t = np.exp(x - largest)  # golden_programs.py:118
    t_1 = np.sum(t)
    return largest + np.log(t_1), (t_1, t, x, largest)


def log_sum_exp_back(saved, y_bar):
    t, t_1, x, largest = saved
    x_bar = y_bar / t * t_1  # golden_programs.py:118
    largest_bar = y_bar + np.add.reduce(-x_bar, axis=None)
    winners = np.equal(x, largest)  # golden_programs.py:117
    ties = np.sum(winners, axis=None, dtype=inexact_dtype(x), keepdims=True)
    x_bar = x_bar + materialised(winners * (largest_bar / ties), x)
    return x_bar


# gradient

def log_sum_exp_gradient(x):
    largest = np.max(x)  # golden_programs.py:117
    t = np.exp(x - largest)  # golden_programs.py:118
    x_bar = 1.0 / np.sum(t) * t
    largest_bar = 1.0 + np.add.reduce(-x_bar, axis=None)
    winners = np.equal(x, largest)  # golden_programs.py:117
    ties = np.sum(winners, axis=None, dtype=inexact_dtype(x), keepdims=True)
    x_bar = x_bar + materialised(winners * (largest_bar / ties), x)
    return x_bar,
