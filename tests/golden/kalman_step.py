# pullback

def kalman_step_forward(flow, level, variance, noise, drift):
    surprise = flow - level  # golden_programs.py:151
    spread = variance + noise  # golden_programs.py:152
    gain = variance / spread  # golden_programs.py:153
    t = 2.0 * math.pi  # golden_programs.py:154
    t_1 = t * spread
    t_2 = math.log(t_1)  # scalar.py:106
    t_3 = surprise ** 2 / spread  # golden_programs.py:154
    log_density = -0.5 * (t_2 + t_3)
    return (level + gain * surprise, gain * noise + drift, log_density), (noise, gain, surprise, spread, t_3, t_1, t)  # golden_programs.py:155


def kalman_step_back(saved, y_bar):
    noise, gain, surprise, spread, t, t_1, t_2 = saved
    level_bar = y_bar[0]  # golden_programs.py:155
    drift_bar = y_bar[1]
    log_density_bar = y_bar[2]
    gain_bar = drift_bar * noise
    noise_bar = drift_bar * gain
    surprise_bar = level_bar * gain
    gain_bar += level_bar * surprise
    t_3 = log_density_bar * -0.5  # golden_programs.py:154
    t_4 = t_3 / spread
    spread_bar = -t_3 * (t / spread)
    surprise_bar += t_4 * (2 * surprise)
    spread_bar += t_3 / t_1 * t_2
    variance_bar = gain_bar / spread  # golden_programs.py:153
    spread_bar += -gain_bar * (gain / spread)
    variance_bar += spread_bar  # golden_programs.py:152
    noise_bar += spread_bar
    level_bar -= surprise_bar  # golden_programs.py:151
    return surprise_bar, level_bar, variance_bar, noise_bar, drift_bar
