"""Empty figures, panels and legends. matplotlib is imported here only, and only when something is drawn, so that the
figures can be listed without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nonstop.errors import MissingExtraError
from nonstop_bench.figures.style import GREY, LIGHT, SETTINGS, SMALL

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DOTS = 200  # per inch, of a PNG
_MANY = 200.0  # with a larger ratio of its ends, an axis labels decades only


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A figure with its caption."""

    figure: Figure
    #: One sentence that says what was measured.
    caption: str
    #: Experiments without results.
    absent: tuple[str, ...] = ()


@contextmanager
def settings() -> Iterator[None]:
    """The matplotlib settings of all figures, instead of the user's own; draw and save inside this context."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("drawing the paper's figures", "bench", "nonstop-bench") from error
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(dict(SETTINGS))
        yield


def sheet(width: float, height: float) -> Figure:
    """An empty figure; sizes are in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def panels(figure: Figure, count: int, columns: int) -> list[Axes]:
    """`count` axes in rows of `columns`; the last row may be shorter."""
    columns = min(count, columns)
    grid = figure.add_gridspec(-(-count // columns), columns)
    return [figure.add_subplot(grid[divmod(i, columns)]) for i in range(count)]


def legend_below(figure: Figure, handles: Sequence[Artist], columns: int) -> None:
    """One legend for all panels, under them."""
    labels = [str(handle.get_label()) for handle in handles]
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, columnspacing=1.4)


def label_outside(axes: Sequence[Axes], columns: int) -> None:
    """In a grid whose panels share the meaning of their axes, label only the leftmost and the lowest."""
    for index, each in enumerate(axes):
        if index % columns:
            each.set_ylabel("")
        if index + columns < len(axes):
            each.set_xlabel("")


def log_axis(axes: Axes) -> None:
    """A logarithmic y axis whose ticks are plain numbers: 0.2, 0.5, 1; only decades where there are many of them."""
    from matplotlib.ticker import LogLocator

    axes.set_yscale("log")
    low, high = axes.get_ylim()
    few = high / low < _MANY
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")


def note(axes: Axes, text: str) -> None:
    """A remark in the upper right corner, over everything that is drawn: the axis is stretched to make room for it."""
    bottom, _ = axes.get_ylim()
    _, top = axes.transData.inverted().transform(axes.transAxes.transform((0.0, 1.12)))
    axes.set_ylim(bottom, top)
    position: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "ha": "right", "va": "top"}
    axes.annotate(text, (1.0, 1.0), xytext=(-2, -1), fontsize=SMALL, color=GREY, **position)


def bar(colour: str, label: str, *, hatch: str = "") -> Artist:
    """A patch for a legend."""
    from matplotlib.patches import Patch

    return Patch(facecolor=LIGHT if hatch else colour, edgecolor=colour, hatch=hatch, label=label, linewidth=0.5)


def save(drawing: Drawing, stem: Path) -> list[Path]:
    """Write stem.png and stem.svg; the same drawing gives the same bytes."""
    with settings():
        png, svg = (stem.parent / f"{stem.name}.{kind}" for kind in ("png", "svg"))
        drawing.figure.savefig(png, dpi=_DOTS)
        drawing.figure.savefig(svg, metadata={"Date": None})
    return [png, svg]
