"""The files of the report: the page, the statistics and tables beside the results; its pictures; the PDF."""

from __future__ import annotations

from pathlib import Path

from nonstop_bench import tables
from nonstop_bench.report import page, pairs
from nonstop_bench.report.results import Results


def written(folder: Path, target: Path) -> list[Path]:
    """Write the page, and paper/statistics.csv and paper/tables.md in the folder of results."""
    results = Results(folder)
    compared = pairs.all_pairs(results)
    texts = {
        target: page.page(results, compared),
        folder / "paper/statistics.csv": pairs.table(compared),
        folder / "paper/tables.md": tables.document(folder),
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return list(texts)


def drawn(folder: Path, target: Path) -> list[Path]:
    """Draw the pictures of the page."""
    from nonstop_bench.report import pictures  # matplotlib takes a second

    return pictures.draw_all(Results(folder), target)


def printed(folder: Path, target: Path) -> Path:
    """Write the PDF."""
    from nonstop_bench.report import pdf

    return pdf.write(Results(folder), target)
