"""The places of figures on a page, and their data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from nonstop.pages.html import section, text
from nonstop.plots import figures_of
from nonstop.plots.plotly import go
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial

#: Pixels that the title of a figure takes, which the page shows as text.
_TITLE: Final = 30
#: Figures that scroll sideways on a narrow screen instead of shrinking.
_WIDE: Final = {"slices", "contour", "parallel", "check", "timeline"}
#: Figures that are drawn for each outcome that is modelled, of the first few.
_PER_OUTCOME, _MOST_OUTCOMES = frozenset({"slices", "contour", "lengthscales", "check"}), 6


def drawn_figures(name: str, spec: Spec, trials: Sequence[Trial]) -> dict[str, go.Figure]:
    """The figure of each outcome, if it is about one, else one for all of them."""
    draw, outcomes = figures_of(spec.goals)[name], spec.goals.names[:_MOST_OUTCOMES]
    if name in _PER_OUTCOME and len(outcomes) > 1:
        return {outcome: draw(spec, trials, outcome) for outcome in outcomes}
    return {"": draw(spec, trials)}


def identity_of(name: str, index: int) -> str:
    """What a figure is called on the page, of the outcome with this index."""
    return f"{name}-{index}" if index else name


def figure_section(name: str, words: tuple[str, str], drawn: Mapping[str, go.Figure]) -> str:
    """What a figure is, and its place; of several outcomes, with a button for each, of which one is shown."""
    title, caption = words
    parts = [_plot(name, identity_of(name, i), figure) for i, figure in enumerate(drawn.values())]
    if len(parts) == 1:
        return section(title, f"<p>{text(caption)}</p>{parts[0]}")
    buttons = "".join(
        f'<button type="button" aria-pressed="{"false" if i else "true"}" data-shows="{identity_of(name, i)}">'
        f"{text(outcome)}</button>"
        for i, outcome in enumerate(drawn)
    )
    bar = f'<p class="outcomes" role="group" aria-label="Outcome">{buttons}</p>'
    variants = "".join(
        f'<div class="variant" data-variant="{identity_of(name, i)}"{" hidden" if i else ""}>{part}</div>'
        for i, part in enumerate(parts)
    )
    return section(title, f"<p>{text(caption)}</p>{bar}{variants}")


def _plot(name: str, identity: str, figure: go.Figure) -> str:
    """The place of a figure: what it says this time, and what is not on it, with a switch to see that."""
    said: dict[str, Any] = figure.layout.meta or {}
    kind = "figure wide" if name in _WIDE else "figure"
    style = f"height:{_height(figure)}px" + (f";min-width:{said['width']}px" if said.get("width") else "")
    switch = '<button type="button" class="switch" aria-pressed="false" hidden>Show all values</button>'
    note = f'<p class="beyond"><span>{text(_sentence(said["note"]))}</span> {switch}</p>' if said.get("note") else ""
    finding = f'<p class="finding">{text(said["title"])}</p>' if said.get("title") else ""
    plot = f'<div class="{kind}"><div id="plot-{identity}" data-figure="{identity}" style="{style}"></div></div>'
    return f"{finding}{note}{plot}"


def untitled(figure: go.Figure) -> go.Figure:
    """The figure without its title, which the page shows as text: a title in a figure cannot wrap."""
    if not figure.layout.meta:
        return figure
    top = (figure.layout.margin.t or 56) - _TITLE
    return figure.update_layout(title_text="", margin={"t": max(top, 16)}, height=_height(figure))


def _height(figure: go.Figure) -> int:
    return int(figure.layout.height or 450) - (_TITLE if figure.layout.meta and figure.layout.title.text else 0)


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."
