"""Programs whose tangents are written by hand: scalars, arrays, networks, an ODE."""

import numpy as np


def chain(x):
    y = x
    for _ in range(10):
        y = y * y + x
        if y > 2.0:
            y = 1.0 / y
    return y


def chain_by_hand(x, x_dot):
    y, y_dot = x, x_dot
    for _ in range(10):
        y_dot = 2.0 * y * y_dot + x_dot
        y = y * y + x
        if y > 2.0:
            y = 1.0 / y
            y_dot = -(y_dot * y * y)
    return y, y_dot


def arrays(x):
    return np.sum(np.exp(-x * x) * np.sin(x) + np.sqrt(x))


def arrays_by_hand(x, x_dot):
    decay = np.exp(-x * x)
    wave = np.sin(x)
    root = np.sqrt(x)
    slope = np.cos(x)
    slope -= 2.0 * x * wave
    slope *= decay
    slope += 0.5 / root
    return np.sum(decay * wave + root), slope @ x_dot


def mlp_by_hand(w1, b1, w2, b2, inputs, targets, w1_dot, b1_dot, w2_dot, b2_dot):
    hidden = inputs @ w1
    hidden += b1
    np.tanh(hidden, out=hidden)
    hidden_dot = inputs @ w1_dot
    hidden_dot += b1_dot
    hidden_dot *= 1.0 - hidden * hidden
    error = hidden @ w2
    error += b2
    error -= targets
    error_dot = hidden_dot @ w2
    error_dot += hidden @ w2_dot
    error_dot += b2_dot
    return np.mean(error**2), 2.0 * np.mean(error * error_dot)


def rnn(w, u, b, xs, h):
    for x in xs:
        h = np.tanh(w @ h + u @ x + b)
    return np.sum(h * h)


def rnn_by_hand(w, u, b, xs, h, w_dot, u_dot, b_dot):
    h_dot = np.zeros_like(h)
    for x in xs:
        t_dot = w_dot @ h
        t_dot += w @ h_dot
        t_dot += u_dot @ x
        t_dot += b_dot
        h = np.tanh(w @ h + u @ x + b)
        h_dot = t_dot * (1.0 - h * h)
    return np.sum(h * h), 2.0 * (h @ h_dot)


def oscillator(x, v, k, c):
    h = 0.01
    for _ in range(500):
        x1, v1 = v, -k * x - c * v * v
        x2, v2 = v + 0.5 * h * v1, -k * (x + 0.5 * h * x1) - c * (v + 0.5 * h * v1) ** 2
        x3, v3 = v + 0.5 * h * v2, -k * (x + 0.5 * h * x2) - c * (v + 0.5 * h * v2) ** 2
        x4, v4 = v + h * v3, -k * (x + h * x3) - c * (v + h * v3) ** 2
        x = x + h / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4)
        v = v + h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4)
    return x * x + v * v


def oscillator_by_hand(x, v, k, c, x_dot, v_dot, k_dot, c_dot):
    h = 0.01
    half = 0.5 * h
    sixth = h / 6.0
    for _ in range(500):
        v1 = -k * x - c * v * v
        v1_dot = -k_dot * x - k * x_dot - c_dot * v * v - 2.0 * c * v * v_dot
        xa, va = x + half * v, v + half * v1
        xa_dot, va_dot = x_dot + half * v_dot, v_dot + half * v1_dot
        v2 = -k * xa - c * va * va
        v2_dot = -k_dot * xa - k * xa_dot - c_dot * va * va - 2.0 * c * va * va_dot
        xb, vb = x + half * va, v + half * v2
        xb_dot, vb_dot = x_dot + half * va_dot, v_dot + half * v2_dot
        v3 = -k * xb - c * vb * vb
        v3_dot = -k_dot * xb - k * xb_dot - c_dot * vb * vb - 2.0 * c * vb * vb_dot
        xc, vc = x + h * vb, v + h * v3
        xc_dot, vc_dot = x_dot + h * vb_dot, v_dot + h * v3_dot
        v4 = -k * xc - c * vc * vc
        v4_dot = -k_dot * xc - k * xc_dot - c_dot * vc * vc - 2.0 * c * vc * vc_dot
        x_dot = x_dot + sixth * (v_dot + 2.0 * va_dot + 2.0 * vb_dot + vc_dot)
        x = x + sixth * (v + 2.0 * va + 2.0 * vb + vc)
        v_dot = v_dot + sixth * (v1_dot + 2.0 * v2_dot + 2.0 * v3_dot + v4_dot)
        v = v + sixth * (v1 + 2.0 * v2 + 2.0 * v3 + v4)
    return x * x + v * v, 2.0 * (x * x_dot + v * v_dot)


def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total
