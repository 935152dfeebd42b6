"""Sparse Jacobians and Hessians: which entries can differ from zero, and how few passes give them.

    index_sets, traced, propagation, structure, constant_matrices, user_code
                    the program, run on index sets
    patterns        f, args -> the pattern of its Jacobian or Hessian
    colouring       a pattern -> groups of columns (or rows) that one pass can serve
    compressed      f, args, pattern -> scipy.sparse, by one pass for each group

See docs/sparse.md.
"""
