"""Restricts every library to one thread: to be called before NumPy, JAX or PyTorch is imported."""

import os

_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    # Read by XLA's CPU client, which otherwise starts a thread for each core.
    "NPROC": "1",
    "JAX_PLATFORMS": "cpu",
    "JAX_ENABLE_X64": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}


def use_one_thread() -> None:
    os.environ.update(_ONE_THREAD)
