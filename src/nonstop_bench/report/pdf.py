"""The report as a PDF: verdicts, tables and figures. Its pages are figures of matplotlib."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nonstop_bench.figures.canvas import Drawing, settings
from nonstop_bench.figures.catalogue import FIGURES
from nonstop_bench.figures.results import NoResultsError
from nonstop_bench.figures.style import GREY, INK
from nonstop_bench.report import page, pictures
from nonstop_bench.report.pairs import all_pairs
from nonstop_bench.report.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 8.27, 11.69  # A4, inches
_MARGIN, _LINE = 0.07, 0.0125  # of the width, of the height
_TOP, _BOTTOM = 0.95, 0.04
_LETTERS = 16.0  # of a caption, for each inch of its figure
_TITLE: Final = "The paper's claims, measured"
#: Tables of the page that the PDF shows, with their headings.
_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "Ackley (d = 10, q = 8)": ("tables.ackley.ucb", "tables.ackley.logei"),
    "Michalewicz (d = 5, q = 16)": ("tables.michalewicz.ucb", "tables.michalewicz.logei"),
    "The price of suggestions, Ackley": ("price.ackley.ucb", "price.ackley.logei"),
    "The price of suggestions, Michalewicz": ("price.michalewicz.ucb", "price.michalewicz.logei"),
    "Median log regret on the synthetic tasks": ("synthetic.medians",),
    "What believing changes": ("synthetic.believing", "real.believing"),
    "Real tasks": ("real.medians",),
    "Queries at and near busy points": ("repeats.table",),
    "Sequential counterparts": ("sequential.table",),
    "Lengthscales": ("lengthscales.table", "lengthscales.walked"),
    "Workers that wait": ("synchronous.table",),
    "More workers": ("scaling.gains", "scaling.medians"),
    "More time": ("long.table",),
    "Theory": ("theory.table",),
    "From the text to the published code, Ackley": ("walk.ackley.ucb", "walk.ackley.logei"),
    "From the text to the published code, Michalewicz": ("walk.michalewicz.ucb", "walk.michalewicz.logei"),
    "What each switch changes, Ackley": ("walk.ackley.changes",),
    "What each switch changes, Michalewicz": ("walk.michalewicz.changes",),
    "What a suggestion costs, as published": ("walk.seconds",),
    "When is it not sufficient? Effects": ("designed.effects",),
    "How often the guard acted": ("designed.firings",),
    "The adaptive rules": ("designed.adaptive",),
    "Where the numbers come from": ("origins.table",),
}
_FIGURES: Final = ("figure-1", "regret-synthetic", "distances", "lengthscales", "overhead")


def write(results: Results, target: Path) -> Path:
    """Write the PDF; the same results give the same bytes."""
    from matplotlib.backends.backend_pdf import PdfPages

    with settings(), PdfPages(target, metadata={"CreationDate": None, "Title": _TITLE}) as file:
        for figure in sheets(results):
            file.savefig(figure)
    return target


def sheets(results: Results) -> Iterator[Figure]:
    """The pages, one after the other."""
    compared = all_pairs(results)
    said = page.values(results, compared)
    yield from _flowing([*_first(said), *_tables(said)])
    for drawing in (pictures.rules(results, compared), pictures.near(results), pictures.effects(results)):
        yield _captioned(drawing)
    for name in _FIGURES:
        try:
            yield _captioned(FIGURES[name].draw(results.folder))
        except NoResultsError:
            continue  # the table of verdicts says that it was not measured


def _captioned(drawing: Drawing) -> Figure:
    letters = int(_LETTERS * drawing.figure.get_figwidth())
    drawing.figure.suptitle("\n".join(textwrap.wrap(drawing.caption, letters)), fontsize=7, color=INK)
    return drawing.figure


def _first(said: page.Said) -> Iterator[Block]:
    """The verdicts, and how they are made, in the words of the page."""
    parts = page.filled(page.TEMPLATE.read_text(encoding="utf-8"), said).split("\n## ")
    texts = {part.split("\n", 1)[0]: part.split("\n", 1)[1].strip() for part in parts[1:]}
    yield Block(_TITLE, _rows(texts["Verdicts"]), large=True)
    for paragraph in texts["How a verdict is made"].split("\n\n"):
        lines = textwrap.wrap(" ".join(_cells(paragraph.replace("\n", " "))), 130)
        yield Block("", [[line] for line in lines])


def _tables(said: page.Said) -> Iterator[Block]:
    for heading, names in _TABLES.items():
        for place, name in enumerate(names):
            claim, key = name.split(".", 1)
            yield Block("" if place else heading, _rows(said[claim][key]))


@dataclass(frozen=True, slots=True)
class Block:
    """A heading and rows of cells."""

    heading: str
    rows: list[list[str]]
    large: bool = False


def _flowing(blocks: Iterable[Block]) -> Iterator[Figure]:
    """The blocks on as many sheets as they need; one that fits on a sheet is not broken."""
    figure, top = _sheet(), _TOP
    for block in blocks:
        needs = _LINE * (len(block.rows) + 2.5)
        if top - needs < _BOTTOM and top < _TOP:
            yield figure
            figure, top = _sheet(), _TOP
        if block.heading:
            size, drop = (13.0, 2.4) if block.large else (9.0, 1.5)
            figure.text(_MARGIN, top, block.heading, fontsize=size, color=INK)
            top -= drop * _LINE
        for place, row in enumerate(block.rows):
            if top < _BOTTOM:
                yield figure
                figure, top = _sheet(), _TOP
            _row(figure, block.rows, row, top, bold=place == 0 and len(row) > 1)
            top -= _LINE
        top -= 1.2 * _LINE
    yield figure


def _rows(text: str) -> list[list[str]]:
    """The rows of a table in Markdown, the head first."""
    return [_cells(line) for line in text.splitlines() if not re.fullmatch(r"\|[\s|-]+\|", line)]


def _cells(line: str) -> list[str]:
    """The cells of a row, or the line itself; without the marks of Markdown."""
    plain = re.sub(r"\[([^]]*)\]\(#[^)]*\)", r"\1", line).replace("*", "")
    return [cell.strip() for cell in plain.strip("|").split("|")]


def _sheet() -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(_WIDTH, _HEIGHT))


def _row(figure: Figure, rows: Sequence[Sequence[str]], row: Sequence[str], y: float, bold: bool) -> None:
    """A row of a table; columns are as wide as their longest cell needs."""
    count = max(map(len, rows))
    # The head is bold, and so a tenth wider.
    lengths = [[len(cell) * (1.1 if each is rows[0] else 1.0) for cell in each] for each in rows]
    widths = [max(each[i] if i < len(each) else 0.0 for each in lengths) + 2.5 for i in range(count)]
    size = min(7.0, 7.0 * 128 / max(sum(widths), 1))
    x, weight = _MARGIN, "bold" if bold else "normal"
    for cell, width in zip(row, widths, strict=False):
        figure.text(x, y, cell, fontsize=size, color=INK if cell != "–" else GREY, weight=weight)
        x += (1 - 2 * _MARGIN) * width / max(sum(widths), 128)
