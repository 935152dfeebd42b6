"""Which module of rules is for which callable, so that it is imported when that is first met.

    np.concatenate      by its name                       zyg/rules/joining.py
    np.ndarray.clip     by the class that it belongs to   zyg/rules/methods.py
    np.polyfit          by its module                     all of `LATE["numpy"]`

Rules that are in none of these tables are registered by `import zyg`: those of operators, of
elementwise functions, sums and products, which nearly all programs have.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

# By module and name; `dict.` are the methods of `dict`.
NAMED = {
    "_functools": {"functional": "reduce"},
    "_operator": {"containers": "or_ and_ xor"},
    "builtins": {
        "containers": "dict dict. list. tuple. range. slice slice. set. frozenset.",
        "folds": "sum max min",
        "functional": "max min",
        "iteration": "list tuple set frozenset iter reversed enumerate zip map filter sorted",
    },
    "collections": {
        "collection_classes":
            "deque deque. OrderedDict OrderedDict. defaultdict defaultdict. Counter Counter. "
            "namedtuple",
    },
    "functools": {"functional": "cache lru_cache update_wrapper"},
    "ir.binding": {"attempts": "error_of_call"},
    "ir.generators": {"iteration": "walked"},
    "ir.memory.held_walks": {
        "functional": "item_at", "iteration": "positions positions_from_end",
    },
    "ir.primitives": {
        "changes":
            "stored spliced stored_back overwritten written added_at subtracted_at deleted "
            "item_to_pop appended extended inserted",
        "collection_classes":
            "touched pushed pushed_left rotated emptied moved_to_end defaulted regrouped",
        "containers": "build_set flatten unpack_starred merge_dicts format_value build_string",
        "iteration": "check_lengths numbers_from",
        "functional": "augmented_part",
    },
    "ir.try_primitives": {
        "attempts":
            "is_caught end_guarded check_not_suppressed failure_of special_method "
            "catching catching_found attempted",
    },
    "itertools": {
        "iteration": "count repeat chain pairwise permutations combinations product",
    },
    "numpy": {
        "attempts": "errstate.",
        "binary":
            "add subtract multiply divide power float_power remainder fmod divmod maximum minimum "
            "fmax fmin hypot arctan2 logaddexp logaddexp2 heaviside copysign ldexp nextafter equal "
            "not_equal less less_equal greater greater_equal logical_and logical_or logical_xor "
            "bitwise_and bitwise_or bitwise_xor left_shift right_shift floor_divide gcd lcm "
            "isclose allclose array_equal array_equiv",
        "contractions":
            "vdot inner outer tensordot kron cross convolve vecdot matvec vecmat",
        "creation":
            "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 zeros ones empty zeros_like "
            "ones_like empty_like eye identity tri array asarray asanyarray "
            "ascontiguousarray asfortranarray float32 float64 complex64 complex128 copy full "
            "full_like arange linspace logspace meshgrid vander poly1d",
        "indexing":
            "indices unravel_index ravel_multi_index tril_indices triu_indices diag_indices isin "
            "ix_ take take_along_axis compress extract delete where select clip sort partition "
            "unique diff ediff1d bincount interp",
        "iteration": "ndindex",
        "joining":
            "concatenate stack vstack row_stack hstack column_stack dstack append insert split "
            "array_split vsplit hsplit dsplit unstack",
        "methods": "ndarray. generic.",
        "reductions":
            "average var std max min amax amin nanmax nanmin ptp nansum nanmean prod cumsum "
            "cumprod trapezoid trapz trace argmax argmin nanargmax nanargmin argsort argpartition "
            "all any count_nonzero argwhere nonzero flatnonzero searchsorted digitize lexsort",
        "shape":
            "reshape ravel transpose swapaxes matrix_transpose moveaxis rollaxis expand_dims "
            "squeeze atleast_1d atleast_2d atleast_3d broadcast_arrays repeat tile flip fliplr "
            "flipud rot90 roll triu tril diagonal diag diagflat unwrap",
    },
    "operator": {"functional": "methodcaller"},
    "zyg.cotangents.cotangent_items": {"containers": "unless_computed"},
    "zyg.facts.numpy_changes": {"changes": "added_at_each"},
    "zyg.facts.numpy_result_shapes": {
        "shape":
            "diff_shape convolve_shape fft_shape rfft_shape irfft_shape svd_shape tile_shape",
    },
    "zyg.cotangents.matrix_bars": {"cotangents": "product_left product_right"},
    "zyg.arrays.quotients": {
        "quotients":
            "over_square over_plain_square over_length weight_of_two power_part product_over "
            "times_log in_floats",
    },
    "zyg.arrays.selections": {
        "quotients": "chosen selected unmoved is_steep narrowed below_infinity",
        "indexing": "is_finite",
    },
    "zyg.arrays.squares": {"squares": "square_of_absolute square_of_hypot square_of_norm"},
    "zyg.arrays.transposes": {"indexing": "differences_back", "shape": "diagonal_back"},
    "zyg.held.array_parts": {
        "array_parts": "place_of part_of whole_with gathered scattered cleared"
    },
    "zyg.arrays.windows": {"windows": "windows_bar windows_and_axes"},
}

# Classes that name no module but `builtins`, and the modules of what makes their objects.
WITHOUT_MODULE = {"SuperLU": "scipy.sparse.linalg"}

# By module alone, for functions that have no rule otherwise: of `numpy`, what isn't an everyday
# function.
LATE = {
    "_bisect": ("heaps",),
    "_heapq": ("heaps",),
    "builtins": ("generators", "mutating_methods"),
    "collections": ("mutating_methods",),
    "collections.abc": ("mappings",),
    "cmath": ("complex_scalar",),
    "contextlib": ("generators",),
    "copy": ("copies",),
    "heapq": ("heaps",),
    "ir.syntax.attribute_dicts": ("attribute_dicts",),
    "ir.derived": ("derived_classes",),
    "ir.generators": ("generators",),
    "ir.imports": ("importing",),
    "ir.patterns": ("matching",),
    "itertools": ("lazy",),
    "json": ("standard_library",),
    "math": ("scalar",),
    "numpy.polynomial.polynomial": ("power_series",),
    "numpy": (
        "array_iteration", "array_stores", "composites", "creation", "einsum", "index_tricks",
        "options", "order_statistics", "padding", "piecewise", "polynomials",
        "running_extrema", "ufunc_methods", "vectorized",
    ),
    "numpy.fft": ("fourier",),
    "numpy.lib.scimath": ("scimath",),
    "numpy.lib.stride_tricks": ("windows",),
    "numpy.linalg": ("linalg", "factorisations", "linalg_composites", "norms"),
    "numpy.random": ("draws", "draws_of_python"),
    "scipy.fft": ("fourier", "scipy_fft"),
    "scipy.integrate": ("scipy_integrate", "scipy_integrate_tangents", "scipy_samples"),
    "scipy.interpolate": (
        "scipy_interpolate", "scipy_lines", "scipy_splines", "scipy_fitpack", "scipy_grids",
    ),
    "scipy.optimize": ("scipy_optimize",),
    "scipy.sparse": ("scipy_sparse", "scipy_sparse_tangents"),
    "scipy.sparse.linalg": ("scipy_sparse", "scipy_sparse_tangents", "scipy_factors"),
    "scipy.ndimage": ("scipy_signal", "scipy_ndimage"),
    "scipy.stats": (
        "special_functions", "special_gamma", "scipy_stats", "scipy_stats_frozen",
        "scipy_stats_vectors", "scipy_stats_frozen_vectors", "scipy_stats_samples",
    ),
    "scipy.signal": ("scipy_signal", "scipy_filters"),
    "scipy.linalg": (
        "scipy_solve", "scipy_matrices", "scipy_factorisations", "scipy_composites",
        "scipy_riccati",
    ),
    "scipy.special": (
        "special_functions", "special_gamma", "special_bessel", "special_integrals",
        "special_polynomials", "special_probabilities", "special_waves", "special_carlson",
        "special_series",
    ),
    "statistics": ("averages",),
    "datetime": ("standard_library",),
    "random": ("standard_library", "draws_of_python"),
    "types": ("attribute_dicts",),
    "zyg.held.iterators": ("iteration_twice",),
    "zyg.held.readers": ("iteration_twice",),
    "zyg.arrays.carlson": ("special_carlson",),
    "zyg.arrays.joined_arrays": ("tangents_twice",),
    "zyg.arrays.polygamma": ("special_gamma",),
    "zyg.tangents.tangent": ("tangents_of_cotangents", "tangents_twice"),
    "zyg.tangents.tangent_sets": ("tangents_twice",),
}

# The modules whose callables have rules that are registered late.
HAVING_RULES = frozenset([*NAMED, *LATE])


def named(module: str, name: str) -> Sequence[str]:
    """The modules with the rules of a callable, by its name."""
    names = _named_of(module)
    found = names.get(name)
    return names.get(name.partition(".")[0] + ".", ()) if found is None else found


@cache
def _named_of(module: str) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for rules, listed in NAMED.get(module, {}).items():
        for name in listed.split():
            names.setdefault(name, []).append(rules)
    return names
