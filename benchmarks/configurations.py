"""Is a configuration of nonstop better than its default? Pairs of runs on functions of the choosing half.

A configuration is a rule and a surrogate by name, RULE@SURROGATE (nonstop_bench/candidates.py), where "default" is the
default rule. Twelve functions of few parameters, 4 to 10, or others of 20, 30, 50 or 100, of which on those called
sparse only six matter; with noise of some percent of their range or without. 3 d initial points, then 8 asynchronous
workers. Two measures of a run: the regret at the best observed trial, and at the one that is believed best at the end.

python benchmarks/configurations.py nonstop default@rbf --levels 10,30 --seeds 300:304    # run what is missing
python benchmarks/configurations.py nonstop default@tenth-in-50 --parameters 50 --levels 0
python benchmarks/configurations.py                                                       # only the page
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from nonstop.acquisition.rules import DEFAULT_RULE
from nonstop.numerics.threads import limit_threads
from nonstop_bench import score
from nonstop_bench.case import OURS, Case
from nonstop_bench.origin import origin
from nonstop_bench.outcomes.standing import error
from nonstop_bench.problems.catalogue import find
from nonstop_bench.run import setup_of
from nonstop_bench.simulate import simulate
from nonstop_bench.tables import markdown

RESULTS: Final = Path(__file__).parent / "results" / "configurations.jsonl"
FEW: Final = "few"
#: By their number of parameters.
FUNCTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    FEW: (
        *("hartmann-6", "rotated-levy-6", "shifted-ackley-10", "gp-4-0", "gp-6-0"),
        *("bbob-f3-5", "bbob-f6-10", "bbob-f8-5", "bbob-f13-10", "bbob-f14-5", "bbob-f15-10", "bbob-f21-5"),
    ),
    "20": (
        *("sparse-hartmann-20", "sparse-levy-20", "sparse-ackley-20"),
        *("bbob-f1-20", "bbob-f11-20", "bbob-f19-20", "bbob-mixint-f15-20"),
    ),
    "30": ("sparse-hartmann-30", "sparse-levy-30", "sparse-ackley-30"),
    "50": ("sparse-hartmann-50", "sparse-levy-50", "sparse-ackley-50"),
    "100": ("sparse-levy-100", "sparse-ackley-100"),
}
_DEFAULT: Final = "default"
_NOTHING: Final = "–"


class Run(NamedTuple):
    """What identifies a run."""

    configuration: str
    function: str
    noise: int
    seed: int
    evaluations: int


class Result(NamedTuple):
    """A run, its regrets at two trials, and the commit that made it."""

    run: Run
    observed: float
    believed: float
    commit: str | None


def result(run: Run) -> Result:
    """Run it, with one BLAS thread, as all runs of nonstop-bench are."""
    name = f"noise-{run.noise}-{run.function}" if run.noise else run.function
    case = Case(name, q=8, seed=run.seed, horizon=None, evaluations=run.evaluations)
    label = run.configuration.replace(f"{_DEFAULT}@", f"{DEFAULT_RULE}@")
    with limit_threads(1):
        task = find(name, run.seed)
        done = simulate(setup_of(case.by(label), task))
    trials = (done.study.best_trial, done.study.best_believed.trial)
    observed, believed = (max(done.exact[trial.number] - task.optimum, score.FLOOR) for trial in trials)
    return Result(run, observed, believed, origin().commit)


def read() -> list[Result]:
    """What has been run."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return [Result(Run(*run), *rest) for run, *rest in map(json.loads, lines)]


class Setting(NamedTuple):
    """What the runs of a column have in common."""

    parameters: str
    noise: int
    evaluations: int

    @classmethod
    def of(cls, run: Run) -> Setting:
        """That of a run."""
        parameters = next(number for number, functions in FUNCTIONS.items() if run.function in functions)
        return cls(parameters, run.noise, run.evaluations)

    def __str__(self) -> str:
        noise = f"{self.noise} % noise, {self.evaluations} evaluations"
        return noise if self.parameters == FEW else f"{self.parameters} parameters, {noise}"


def beside(results: Sequence[Result], label: str, setting: Setting, measure: str) -> str:
    """A configuration beside the default in a setting: pairs won, and by how many powers of ten it ends higher, a pair
    counting at most one, with the standard error over functions."""
    regret = {each.run: attrgetter(measure)(each) for each in results}
    higher: dict[str, list[float]] = {}
    for run in regret:
        ours = run._replace(configuration=OURS)
        if run.configuration == label and Setting.of(run) == setting and ours in regret:
            higher.setdefault(run.function, []).append(float(np.log10(regret[run] / regret[ours]).clip(-1.0, 1.0)))
    if not higher:
        return _NOTHING
    pairs, means = np.concatenate(list(higher.values())), np.array([np.mean(each) for each in higher.values()])
    return f"{np.mean(0.5 - 0.5 * np.sign(pairs)):.2f} of {len(pairs)}, {means.mean():+.2f} ({error(means):.2f})"


def table(results: Sequence[Result], measure: str) -> str:
    """Every configuration of these results in every setting of them."""
    labels = [label for label in dict.fromkeys(each.run.configuration for each in results) if label != OURS]
    settings = sorted({Setting.of(each.run) for each in results}, key=_in_order)
    rows = [[label, *(beside(results, label, setting, measure) for setting in settings)] for label in labels]
    return markdown(["", *map(str, settings)], rows)


def _in_order(setting: Setting) -> tuple[int, int, int]:
    return setting.evaluations, list(FUNCTIONS).index(setting.parameters), setting.noise


def page(results: Sequence[Result]) -> str:
    """The tables."""
    count = len({each.run.configuration for each in results} - {OURS})
    commits = ", ".join(sorted({(each.commit or "unknown")[:7] for each in results}))
    text = f"""# Configurations beside the default

`python benchmarks/configurations.py`; the results are in `configurations.jsonl`, made at {commits}.

Pairs of function and seed in which a configuration ends lower than the default (a draw is half), and by how many powers
of ten it ends higher (below zero: lower), where a pair counts at most one; in brackets the standard error over the
functions. These are {count} configurations: the best of so many is bound to look better than it is.
"""
    few = [each for each in results if Setting.of(each.run).parameters == FEW]
    many = [each for each in results if each not in few]
    for about, part in (("4 to 10 parameters", few), ("20 to 100 parameters", many)):
        for measure, title in (("observed", "the best observed trial"), ("believed", "the trial believed best")):
            text += f"\n## {about}, by {title}\n\n{table(part, measure)}\n"
    return text


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configurations", nargs="*", help="nonstop, RULE@SURROGATE, default@SURROGATE")
    parser.add_argument("--parameters", choices=FUNCTIONS, default=FEW, help="of the functions")
    parser.add_argument("--levels", default="10,30", help="noise, in percent of the range")
    parser.add_argument("--seeds", default="300:304", help="from, and up to")
    parser.add_argument("--evaluations", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    results, levels = read(), map(int, options.levels.split(","))
    seeds, functions = range(*map(int, options.seeds.split(":"))), FUNCTIONS[options.parameters]
    asked = product(seeds, levels, functions, options.configurations)
    runs = [Run(label, function, noise, seed, options.evaluations) for seed, noise, function, label in asked]
    known = {each.run for each in results}
    pool = ProcessPoolExecutor(options.workers, mp_context=multiprocessing.get_context("spawn"))
    with pool, RESULTS.open("a") as file:
        for made in pool.map(result, [run for run in runs if run not in known]):
            results.append(made)
            file.write(json.dumps(made) + "\n")
            file.flush()
    text = page(results)
    print(text)
    RESULTS.with_suffix(".md").write_text(text)


if __name__ == "__main__":
    main()
