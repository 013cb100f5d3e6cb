"""What may be tried: parameters, spaces of them, and the encoding of params as points of the unit cube."""

from nonstop.space.choices import Categorical, Ordinal
from nonstop.space.parameters import Parameter
from nonstop.space.ranges import Float, Int
from nonstop.space.space import Space

__all__ = ["Categorical", "Float", "Int", "Ordinal", "Parameter", "Space"]
