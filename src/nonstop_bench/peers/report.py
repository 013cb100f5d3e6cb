"""What a run of the suggestion benchmark found, as Markdown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from nonstop_bench.peers.effort import Effort
from nonstop_bench.peers.footprint import Footprint
from nonstop_bench.peers.timing import STARTS, Quality, Timing, overall, speedups

SPEED_TARGETS = {"BoTorch": 25.0, "Optuna": 6.0}
IMPORT_TARGET, MEMORY_TARGET, INSTALL_TARGET = 0.5, 120.0, 250.0
CONTENDERS = ("nonstop", "nonstop logei", "nonstop default", "BoTorch", "Optuna")


@dataclass(frozen=True)
class Findings:
    """All measurements. `install`, in megabytes, is None if it was not measured."""

    facts: dict[str, str]
    timings: list[Timing]
    qualities: list[Quality]
    footprints: list[Footprint]
    install: float | None
    efforts: list[Effort]
    gemm: float
    gemm_single: float


def markdown(found: Findings) -> str:
    """The whole report."""
    parts = [
        "# One suggestion: how long, how heavy, how close to the limit",
        "\n".join(f"- {name}: {value}" for name, value in found.facts.items()),
        "## Targets",
        targets(found),
        *(part for start in STARTS for part in (f"## {_TITLES[start]}", speed(found.timings, start))),
        "## Is the point as good?",
        qualities(found.qualities),
        "## Weight",
        footprints(found.footprints, found.install),
        "## Where our time goes, and the BLAS limit",
        efforts(found),
    ]
    return "\n\n".join(parts) + "\n"


_TITLES = {
    "scratch": "From scratch: milliseconds, medians",
    "warm": "Warm (each starts from its own fit of all data but the last): milliseconds, medians",
}


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table with right-aligned columns."""
    lines = [header, ["---:"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def targets(found: Findings) -> str:
    """Measured values beside their targets."""
    own = found.footprints[0]
    means = [(peer, overall(found.timings, "scratch", peer), target) for peer, target in SPEED_TARGETS.items()]
    rows = [
        (f"times faster than {peer}, geometric mean from scratch", f"{mean:.1f}", f">= {target:g}", mean >= target)
        for peer, mean, target in means
    ]
    rows.append(_at_most("import, s", own.import_seconds, IMPORT_TARGET))
    rows.append(_at_most("resident after a proposal, n = 300, d = 10, MB", own.resident, MEMORY_TARGET))
    if found.install is not None:
        rows.append(_at_most("core install, MB", found.install, INSTALL_TARGET))
    return table(
        ("what", "found", "target", "verdict"),
        [(what, value, target, "pass" if met else "**missed**") for what, value, target, met in rows],
    )


def _at_most(what: str, value: float, target: float) -> tuple[str, str, str, bool]:
    return what, f"{value:.3g}", f"<= {target:g}", value <= target


def speed(timings: list[Timing], start: str) -> str:
    """The times of all contenders from this start, and the speed-ups."""
    seconds = {(each.d, each.n, each.who): each.seconds for each in timings if each.start == start}
    ratios = {peer: speedups(timings, start, peer) for peer in SPEED_TARGETS}
    rows = [
        [
            *map(str, cell),
            *(f"{1e3 * seconds[*cell, who]:.1f}" for who in CONTENDERS),
            *(f"{ratios[peer][cell]:.1f}" for peer in SPEED_TARGETS),
        ]
        for cell in ratios["BoTorch"]
    ]
    for name, cpu in (("geometric mean", False), ("the same in CPU time", True)):
        means = [geometric_mean(speedups(timings, start, peer, cpu).values()) for peer in SPEED_TARGETS]
        rows.append([*[""] * (len(CONTENDERS) + 1), name, *(f"**{mean:.1f}**" for mean in means)])
    return table(("d", "n", *CONTENDERS, *(f"{peer} / nonstop" for peer in SPEED_TARGETS)), rows)


def qualities(found: list[Quality]) -> str:
    """How our fits and maxima compare with those of BoTorch."""
    rows = [(str(each.d), str(each.n), f"{each.log_posterior:+.4f}", f"{each.ucb:+.6f}") for each in found]
    explanation = (
        "Ours minus BoTorch's: the log posterior of the fitted hyperparameters, and the largest UCB found at BoTorch's "
        "hyperparameters. Positive is better than BoTorch."
    )
    return explanation + "\n\n" + table(("d", "n", "log posterior", "UCB"), rows)


def footprints(found: list[Footprint], install: float | None) -> str:
    """Import time, memory and installed size."""
    rows = [(each.who, f"{each.import_seconds:.2f}", f"{each.resident:.0f}", f"{each.peak:.0f}") for each in found]
    text = table(("who", "import, s", "resident, MB", "peak, MB"), rows)
    note = "Fresh processes; memory after one proposal at n = 300, d = 10 (VmRSS, VmHWM)."
    if install is not None:
        note += f" nonstop installs {install:.0f} MB, NumPy and SciPy included."
    return note + "\n\n" + text


def efforts(found: Findings) -> str:
    """Per step: milliseconds, and in brackets its rate as a share of that of a GEMM."""
    limits = {"screen": found.gemm_single}
    rows = []
    for each in found.efforts:
        cells = []
        for step in each.steps:
            share = step.flops / limits.get(step.name, found.gemm) / step.seconds
            rate = step.flops / step.seconds / 1e9
            cells.append(f"{1e3 * step.seconds:.1f} ({step.count} x; {rate:.0f} Gflop/s; {share:.0%})")
        rows.append([str(each.d), str(each.n), f"{1e3 * each.seconds:.1f}", *cells, f"{1e3 * each.remainder:.1f}"])
    names = [step.name for step in found.efforts[0].steps]
    double, single = found.gemm / 1e9, found.gemm_single / 1e9
    explanation = _EFFORT.format(double=double, single=single)
    return explanation + "\n\n" + table(("d", "n", "all", *names, "rest"), rows)


_EFFORT = (
    "Milliseconds in each step of one proposal from scratch (UCB), how often it was done, its rate, and that as a "
    "share of a plain GEMM on the same core: {double:.0f} Gflop/s in double, {single:.0f} in single precision (the "
    "screen's). Flops needed, for n points in d dimensions: a likelihood with gradient n³ + 4n²d; a screened candidate "
    "2nd + 2n + 2m² (its variance given m = min(n, 64) of the points; by all of them it would be 2n²); an exact value "
    "2nd + 2n + 2n²; a value with gradient 6nd + 4n + 4n². Exponentials are not counted. The rest is Python between "
    "the matrices, the first curvature of the fit, and the making of candidates."
)
