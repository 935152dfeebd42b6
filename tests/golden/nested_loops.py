# pullback

def nested_loops_forward(x, n):
    termss = []  # golden_programs.py:75
    total = 0.0
    for i in range(n):
        terms = []  # golden_programs.py:77
        term = x
        for j in range(i):
            terms.append(term)
            term = term * x + j  # golden_programs.py:78
        termss.append(terms)  # golden_programs.py:77
        total += term  # golden_programs.py:79
    return total, (termss, x)  # golden_programs.py:75


def nested_loops_back(saved, total_bar):
    termss, x = saved
    x_bar = 0.0  # golden_programs.py:75
    for terms in reversed(termss):
        term_bar = total_bar  # golden_programs.py:77
        for term in reversed(terms):
            x_bar += term_bar * term  # golden_programs.py:78
            term_bar *= x
        x_bar += term_bar
    return x_bar  # golden_programs.py:75


# gradient

def nested_loops_gradient(x, n):
    termss = []  # golden_programs.py:75
    for i in range(n):
        terms = []  # golden_programs.py:77
        term = x
        for j in range(i):
            terms.append(term)
            term = term * x + j  # golden_programs.py:78
        termss.append(terms)  # golden_programs.py:77
    x_bar = 0.0  # golden_programs.py:75
    for terms in reversed(termss):
        term_bar = 1.0  # golden_programs.py:77
        for term in reversed(terms):
            x_bar += term_bar * term  # golden_programs.py:78
            term_bar *= x
        x_bar += term_bar
    return x_bar,
