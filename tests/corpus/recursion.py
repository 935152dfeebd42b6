"""Recursion: linear, tree, mutual, through closures, over structures."""

from tests.corpus.registry import program


@program((2.0, 4), (2.0, 0))
def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


@program((1.1, 9), (1.1, 6))
def power_by_squaring(x, n):
    if n == 0:
        return 1.0
    half = power_by_squaring(x, n // 2)
    return half * half * x if n % 2 else half * half


@program((1.1, 6))
def fibonacci(x, n):
    if n < 2:
        return x
    return fibonacci(x, n - 1) + fibonacci(x, n - 2) * x


@program((1.1, 5), (1.1, 4))
def even_steps(x, n):
    return x if n == 0 else odd_steps(x * x, n - 1)


def odd_steps(x, n):
    return x * 3 if n == 0 else even_steps(x + 0.1, n - 1)


@program((1.1, 4))
def nested_recursion(x, n):
    def step(y, k):
        if k == 0:
            return y * x
        return step(y * y * 0.5, k - 1) + x

    return step(x, n)


@program((1.1, 5))
def nested_mutual_recursion(x, n):
    def even(y, k):
        return y if k == 0 else odd(y * x, k - 1)

    def odd(y, k):
        return -y if k == 0 else even(y + x, k - 1)

    return even(x, n) * odd(2.0, n)


@program(((1.0, (2.0, (3.0, 4.0))),))
def product_of_tree(tree):
    if isinstance(tree, tuple):
        left, right = tree
        return product_of_tree(left) * product_of_tree(right)
    return tree


@program(([1.0, 2.0, 3.0, 4.0],), ([2.0],))
def pairwise_product(values):
    if len(values) == 1:
        return values[0]
    middle = len(values) // 2
    return pairwise_product(values[:middle]) * pairwise_product(values[middle:])


@program(([1.0, 2.0, 3.0],), ([],))
def horner(coefficients):
    if not coefficients:
        return 0.0
    first, *rest = coefficients
    return first + 0.5 * horner(rest)


@program((0.7, 3))
def loop_in_recursion(x, n):
    total = x
    for k in range(n):
        total = total * 0.5 + loop_in_recursion(x * x, k)
    return total


@program((5.0, 0.0), (0.5, 1.0))
def tail_recursion(x, total):
    if x < 1:
        return total * x
    return tail_recursion(x / 2, total + x)


@program((2, 2, 0.5))
def ackermann_like(m, n, x):
    if m == 0:
        return n * x + 1
    if n == 0:
        return ackermann_like(m - 1, 1, x)
    return x * ackermann_like(m - 1, n - 1, x) + ackermann_like(m, n - 1, x)


@program((1.5, 3))
def recursion_with_pair(x, n):
    if n == 0:
        return x, 1.0
    a, b = recursion_with_pair(x, n - 1)
    return a * b + x, a


@program((1.5, 3))
def recursion_on_function(x, n):
    def repeat(f, k):
        if k == 0:
            return lambda a: a
        inner = repeat(f, k - 1)
        return lambda a: f(inner(a))

    return repeat(lambda a: a * a * 0.5 + x, n)(x)


@program(
    (
        {
            "value": 1.0,
            "children": [
                {"value": 2.0, "children": []},
                {"value": 3.0, "children": [{"value": 4.0, "children": []}]},
            ],
        },
    )
)
def dictionary_tree(node):
    total = node["value"] ** 2
    for child in node["children"]:
        total += node["value"] * dictionary_tree(child)
    return total


@program((1.0, 30))
def deeper(x, n):
    if n == 0:
        return x
    return 0.9 * deeper(x, n - 1) + 0.1 * x * x


def forest(x, depth, branching=2):
    return x if depth == 0 else sum(forest(x * i, depth - 1) for i in range(1, branching + 1))


@program((0.5,))
def recursion_in_generator(x):
    return forest(x, 2) * forest(x, 1, branching=3)


def of_even_depth(x, n):
    if n <= 0:
        return x
    found = of_odd_depth(x, n - 1)
    return x * 3.0 if found is None else found


def of_odd_depth(x, n):
    if n <= 0:
        return None
    found = of_any_depth(x, n)
    return x if found is None else found * x


def of_any_depth(x, n):
    even = of_even_depth(x, n - 2)
    odd = of_odd_depth(x, n - 1)
    return even if odd is None else odd + even


@program((1.3, 5), (1.3, 2))
def three_that_call_each_other(x, n):
    return of_even_depth(x, n)


def branches_of(x, n):
    return (branches_of(x * 0.5, n - 1), x, branches_of(x + 0.1, n - 2)) if n > 0 else x


def fruit_of(tree):
    if not isinstance(tree, tuple):
        return tree * tree
    left, middle, right = tree
    return fruit_of(left) * middle + fruit_of(right)


@program((1.3, 4), (1.3, 0))
def tree_of_tuples(x, n):
    return fruit_of(branches_of(x, n))


def laid_in_cells(x, n, cell):
    return cell if n == 0 else laid_in_cells(x * 1.1, n - 1, (x, cell))


@program((0.9, 12), (0.9, 2))
def cells_given_on(x, n):
    cell, total = laid_in_cells(x, n, None), 0.0
    while cell is not None:
        value, cell = cell
        total = total * 0.9 + value * value
    return total


def continued(x, n, rest):
    if n == 0:
        return rest(x)
    return continued(x * 1.1, n - 1, lambda y: rest(y * x) + 0.1 * y)


@program((0.9, 8), (0.9, 1))
def continuations(x, n):
    return continued(x, n, lambda y: y * y)


def weighted_sum(numbers, i, sum_so_far):
    if i == len(numbers):
        return sum_so_far
    return weighted_sum(numbers, i + 1, lambda y: sum_so_far(y) + numbers[i] * y ** i)


@program((0.9,))
def function_made_by_a_recursion(x):
    return weighted_sum([x, 2.0, x * x, 1.0, x, 0.5], 0, lambda y: y)(x)


def rows_on_rows(x, n, rows):
    return sum(rows[0]) if n == 0 else rows_on_rows(x, n - 1, [[x * n, *rows[0]], rows])


@program((0.9, 5))
def lists_given_on_in_lists(x, n):
    return rows_on_rows(x, n, [[x]])


@program((0.9, 4), (0.9, 200))
def functions_of_functions(x, n):
    def f(y):
        return y * x

    for _ in range(n):
        def f(y, f=f):
            return f(y) * 0.9 + x
    return f(x)
