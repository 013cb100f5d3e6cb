"""The figure of theory.json: measured regret (solid) and bounds (dashed), one panel for each dimension."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Colours of Okabe and Ito; each policy has the same colour as its bound.
COLOURS = {
    "asynchronous UCB, beta of the theory": "#0072B2",
    "asynchronous UCB, beta = 2": "#E69F00",
    "asynchronous Thompson": "#009E73",
    "sequential Thompson": "#CC79A7",
    "asynchronous UCB": "#0072B2",
}


def draw(result: dict[str, Any], stem: Path) -> None:
    """Write stem.png and stem.svg."""
    matplotlib.rcParams["svg.hashsalt"] = "nonstop"  # the same figure, the same bytes
    figure = Figure(figsize=(11.0, 5.6), layout="constrained")
    studies = result["studies"]
    for axes, study in zip(np.atleast_1d(figure.subplots(1, len(studies), sharey=True)), studies, strict=True):
        _panel(axes, study)
    figure.axes[0].set_ylabel("Bayes simple regret")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    figure.savefig(stem.with_suffix(".png"), dpi=150)
    figure.savefig(stem.with_suffix(".svg"), metadata={"Date": None})


def _panel(axes: Axes, study: dict[str, Any]) -> None:
    setting, bounds = study["setting"], study["bounds"]
    for name, curve in study["measured"].items():
        mean, error = np.array(curve["mean"]), np.array(curve["error"])
        n = np.arange(1, len(mean) + 1)
        axes.plot(n, mean, color=COLOURS[name], label=f"measured: {name}")
        low = np.maximum(mean - 2.0 * error, 1e-4)
        axes.fill_between(n, low, mean + 2.0 * error, color=COLOURS[name], alpha=0.15, linewidth=0)
    for name, curve in bounds["curves"].items():
        style = ":" if name == "asynchronous Thompson" else "--"
        axes.plot(bounds["n"], curve, color=COLOURS[name], linestyle=style, label=f"bound: {name}")
    axes.axhline(study["blind"], color="black", linewidth=0.8)
    axes.annotate(
        "above this line a bound says nothing:\none blind query has this regret",
        (1.1, study["blind"]),
        xytext=(0, -4),
        textcoords="offset points",
        va="top",
        fontsize=8,
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=1e-3)
    axes.set_xlabel("n, queries after the initialisation")
    axes.set_title(
        f"d = {setting['d']}, lengthscale {setting['lengthscale']}, noise variance {setting['noise']}, "
        f"q = {setting['workers']}\n{_reading(study)}",
        fontsize=9,
    )


def informative_from(study: dict[str, Any], name: str) -> int | None:
    """The first n of the curve at which the bound is below the regret of a blind query."""
    bounds = study["bounds"]
    below = [n for n, value in zip(bounds["n"], bounds["curves"][name], strict=True) if value < study["blind"]]
    return below[0] if below else None


def _reading(study: dict[str, Any]) -> str:
    measured = len(next(iter(study["measured"].values()))["mean"])
    first = informative_from(study, "asynchronous UCB")
    if first is not None and first <= measured:
        return f"the UCB bound is vacuous up to n = {first - 1}"
    further = "beyond this axis" if first is None else f"informative from n = {first}"
    return f"the UCB bound is vacuous at all n measured ({further})"
