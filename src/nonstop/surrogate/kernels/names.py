"""Kernels by name."""

from __future__ import annotations

from nonstop.errors import RuleError
from nonstop.surrogate.kernels.kernel import Kernel
from nonstop.surrogate.kernels.matern52 import Matern52
from nonstop.surrogate.kernels.rbf import RBF

KERNELS: dict[str, Kernel] = {"rbf": RBF(), "matern52": Matern52()}


def kernel_of(kernel: str | Kernel) -> Kernel:
    """The kernel of that name, or the object itself."""
    if isinstance(kernel, Kernel):
        return kernel
    if not isinstance(kernel, str) or kernel not in KERNELS:
        raise RuleError(f"kernel must be one of {', '.join(KERNELS)} or an object of a nonstop.Kernel, not {kernel!r}")
    return KERNELS[kernel]
