"""The differences between the paper's text and its published code, each a switch of its own; walk.py goes from one to
the other.

`as-text`      what the text says: the paper's surrogate, no guard, no switch
`as-published` its code as it is: all switches on, and the time of a suggestion on the clock

Not among them, because nothing in a run shows them: the code scales inputs to the range of the data, which a kernel
without a prior does not notice; it draws its starts at random among the best; its slopes use the lengthscales of the
scaled inputs. E-LogEI as released is called with an argument that BoTorch does not have; it is run without.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from nonstop import UCB, LogEI, LogNormal, Surrogate
from nonstop.acquisition.rule import Rule
from nonstop_bench.released import ReleasedAegis, ReleasedBeliever, ReleasedExpected, ReleasedPenalized

#: What each switch does, in the order of the path.
SWITCHES: Final[Mapping[str, str]] = {
    "clamp": "LP and LLP take the raw UCB, at least 1e-8, instead of its softplus",
    "steep": "their Lipschitz constants are of the raw values, whose mean returns to zero",
    "wide": "the boxes of LLP reach a lengthscale to each side",
    "twice": "the believers scale busy points to the range of the data twice",
    "front": "the front of AEGIS is of one random population, and minimises the mean",
    "joint": "E-LogEI is the joint improvement of the point and the busy ones",
    "cold": "every fit starts anew, and not from the last",
    "flat": "no prior of the lengthscales, and no bounds but those of positive numbers",
    "constant": "the process has a fitted constant mean",
}
#: The rules that a switch changes; the others: all that have a model.
CHANGES: Final[Mapping[str, tuple[str, ...]]] = {
    "clamp": ("lp-ucb", "llp-ucb"),
    "steep": ("lp-ucb", "llp-ucb"),
    "wide": ("llp-ucb",),
    "twice": ("kb-ucb", "kb-logei"),
    "front": ("aegis",),
    "joint": ("e-logei",),
}
AS_PUBLISHED: Final = tuple(SWITCHES)

#: A log-normal density that is very wide and has its mode among the usual lengthscales is flat as far as these go. The
#: fit starts at the mode, and so close to where GPyTorch starts, 0.69; in d dimensions our mode grows by sqrt(d).
_WIDE, _START = 300.0, 0.69 / math.sqrt(7.0)
FLAT: Final = LogNormal(_WIDE**2 + math.log(_START), _WIDE)
#: Positive numbers, as far as they make a difference.
_POSITIVE: Final = (1e-4, 1e4)


def checked(text: str) -> tuple[str, ...]:
    """The switches in a text with + between them; ValueError if one is unknown, or if they are not in order."""
    names = tuple(text.split("+")) if text else ()
    if names != tuple(name for name in SWITCHES if name in names):
        raise ValueError(
            f"switches are some of {', '.join(SWITCHES)}, in this order, with + between them, not {text!r}"
        )
    return names


def surrogate_with(surrogate: Surrogate, switches: tuple[str, ...]) -> Surrogate:
    """The surrogate with these switches on."""
    if "flat" in switches:
        surrogate = replace(surrogate, lengthscale_prior=FLAT, lengthscale_bounds=_POSITIVE)
    return replace(surrogate, mean="constant") if "constant" in switches else surrogate


def rule_with(name: str, switches: tuple[str, ...]) -> str | Rule:
    """The rule of that name with these switches on."""
    on = {switch for switch in switches if name in CHANGES.get(switch, ())}
    if name in ("lp-ucb", "llp-ucb") and on:
        return ReleasedPenalized(name == "llp-ucb", "clamp" in on, "steep" in on, "wide" in on)
    if "twice" in on:
        return ReleasedBeliever(UCB() if name == "kb-ucb" else LogEI())
    if "front" in on:
        return ReleasedAegis()
    return ReleasedExpected() if "joint" in on else name
