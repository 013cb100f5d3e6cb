"""What may be tried: parameters, spaces of them, and the way from params to points of the unit cube and back."""

from nonstop.space.parameters import Categorical, Float, Int, Parameter
from nonstop.space.space import Space

__all__ = ["Categorical", "Float", "Int", "Parameter", "Space"]
