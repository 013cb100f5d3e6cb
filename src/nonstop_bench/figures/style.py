"""The common style of all figures: a rule has the same colour and dashes in each of them.

The colours are those of Okabe and Ito and, for ten rules, three of Tol's muted set; people with any colour vision can
distinguish them, and where two are close the dashes differ. Standard rules, the subject of the paper, are thick and
solid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

#: A named line style of matplotlib, or (offset, (on, off, …)) in line widths.
Dashes: TypeAlias = str | tuple[float, tuple[float, ...]]

#: Inches: a column and the text of the paper's page.
COLUMN: Final = 3.3
TEXT: Final = 6.8

BLUE, VERMILLION, ORANGE, GREEN = "#0072B2", "#D55E00", "#E69F00", "#009E73"
GREY, LIGHT, INK = "#7A7A7A", "#D9D9D9", "#222222"


@dataclass(frozen=True, slots=True)
class Style:
    """The line style of a rule, and its name in print."""

    name: str
    colour: str
    dashes: Dashes
    width: float = 1.0
    shade: float = 0.10

    @property
    def order(self) -> float:
        """The z-order: thick lines are above thin ones."""
        return 2.0 + self.width


STYLES: Final[Mapping[str, Style]] = {
    "ucb": Style("UCB", BLUE, "-", 1.9, 0.22),
    "logei": Style("LogEI", VERMILLION, "-", 1.9, 0.22),
    "kb-ucb": Style("KB-UCB", "#56B4E9", (0.0, (5.0, 1.5))),
    "kb-logei": Style("KB-LogEI", ORANGE, (0.0, (5.0, 1.5))),
    "e-logei": Style("E-LogEI", "#882255", (0.0, (1.5, 1.0))),
    "ts": Style("TS", GREEN, (0.0, (5.0, 1.2, 1.2, 1.2))),
    "lp-ucb": Style("LP-UCB", "#CC79A7", (0.0, (3.0, 1.2))),
    "llp-ucb": Style("LLP-UCB", "#332288", (0.0, (4.0, 1.0, 1.0, 1.0, 1.0, 1.0))),
    "aegis": Style("AEGIS", "#999933", (0.0, (8.0, 2.0))),
    "cl-max": Style("CL-LogEI", "#8C510A", (0.0, (6.0, 1.0, 1.0, 1.0))),
    "random": Style("Random", GREY, (0.0, (1.0, 1.5))),
}

#: Sequential and synchronous counterparts of a rule: its colour, but thinner and in these dashes.
SEQUENTIAL: Final[Dashes] = (0.0, (3.0, 1.2))
SYNCHRONOUS: Final[Dashes] = (0.0, (1.2, 1.0))

#: Nothing is smaller than 7 points at the printed size.
SMALL: Final = 7.0
SETTINGS: Final[Mapping[Any, object]] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.5,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "lines.solid_capstyle": "round",
    "hatch.linewidth": 0.5,
    # The same figure, the same bytes.
    "svg.hashsalt": "nonstop",
}
