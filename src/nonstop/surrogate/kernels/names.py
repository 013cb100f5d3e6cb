"""Kernels by name."""

from __future__ import annotations

from nonstop.arguments import text_of
from nonstop.errors import RuleError
from nonstop.surrogate.kernels.kernel import Kernel
from nonstop.surrogate.kernels.matern52 import Matern52
from nonstop.surrogate.kernels.rbf import RBF
from nonstop.wording import shown

KERNELS: dict[str, Kernel] = {"rbf": RBF(), "matern52": Matern52()}


def kernel_of(kernel: str | Kernel) -> Kernel:
    """The kernel of that name, or the object itself."""
    if isinstance(kernel, Kernel):
        return kernel
    name = text_of(kernel)
    if name is None or name not in KERNELS:
        known = ", ".join(KERNELS)
        raise RuleError(f"kernel must be one of {known} or an object of a nonstop.Kernel, not {shown(kernel)}")
    return KERNELS[name]
