"""What may be tried: parameters, spaces of them, and the encoding of params as points of the unit cube."""

from nonstop.space.parameters import Categorical, Float, Int, Parameter
from nonstop.space.space import Space

__all__ = ["Categorical", "Float", "Int", "Parameter", "Space"]
