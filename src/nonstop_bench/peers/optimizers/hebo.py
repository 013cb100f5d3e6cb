"""HEBO in a process of its own: it needs NumPy 1, so it has an environment of its own and answers through a pipe.

`make peers-hebo` makes the environment, .venv-hebo of the working directory; NONSTOP_HEBO names the Python of another.
The space is given in HEBO's own parameters. All else is as it comes: a Gaussian process on warped inputs and
transformed values, and NSGA-II over three acquisition functions, from whose Pareto front it takes points at random.

HEBO has no notion of busy points: what keeps the points of a batch apart is that they are drawn at random from one
front (the best mean and the largest deviation are always among three or more). There are two ways to have that without
a barrier. "one" draws a single point from a new front for every worker that asks. "batch" draws eight from a front and
hands them out one by one, as Ray Tune's HEBOSearch does but for its barrier: an eighth of the cost, and older data.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nonstop.space import Categorical, Float, Ordinal, Parameter, Space
from nonstop_bench.peers.optimizers.codes import coded, codes_of, decoded
from nonstop_bench.peers.registry import PeerError

PYTHON_VARIABLE = "NONSTOP_HEBO"
PYTHON = Path(".venv-hebo", "bin", "python")
SCRIPT = Path(__file__).parents[1] / "hebo_process.py"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


#: How many suggestions are asked for at a time.
_SIZES = {"one": 1, "batch": 8}


class Hebo:
    """A process that HEBO is asked through. Failed points are left out: HEBO has no failures."""

    def __init__(self, space: Space, seed: int, variant: str) -> None:
        self._space = space
        self._size = _SIZES[variant]
        self._suggested: list[Mapping[str, Any]] = []
        #: Processor seconds of the other process so far, which the simulator counts as ours.
        self.elsewhere = 0.0
        self._process = subprocess.Popen(
            [python(), "-u", str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=_environment()
        )
        weakref.finalize(self, _end, self._process)
        self._answer({"space": [_parameter(name, parameter) for name, parameter in space.items()], "seed": seed})

    def ask(self, busy: Sequence[Mapping[str, Any]]) -> Mapping[str, object]:  # noqa: ARG002
        """The next params to evaluate."""
        if not self._suggested:
            self._suggested = self._answer({"ask": self._size})["params"]
        return decoded(self._space, self._suggested.pop(0))

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """A result; None if the evaluation failed."""
        if value is not None:
            self._answer({"tell": coded(self._space, params), "value": value})

    def _answer(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """What the process answers to a line; PeerError with its traceback, or with how it ended."""
        pipe, answers = self._process.stdin, self._process.stdout
        assert pipe is not None
        assert answers is not None
        try:
            pipe.write(json.dumps(line) + "\n")
            pipe.flush()
            text = answers.readline()
        except BrokenPipeError:
            text = ""
        if not text:  # what it said of it is on the standard error, which is ours
            raise PeerError(f"the process of HEBO ended with exit code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(text)
        if "error" in answer:
            raise PeerError(f"HEBO failed:\n{answer['error']}")
        self.elsewhere = answer["seconds"]
        return answer


def python() -> str:
    """The Python of HEBO's environment; PeerError if there is none."""
    path = os.environ.get(PYTHON_VARIABLE) or str(PYTHON.absolute())
    if not Path(path).is_file():
        raise PeerError(f"hebo needs an environment of its own, and {path} is missing: make peers-hebo")
    return path


def _environment() -> dict[str, str]:
    """Ours, with one thread, and without our packages."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return kept | dict.fromkeys(_THREADS, "1")


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        with contextlib.suppress(BrokenPipeError):  # of a line that the process has not read
            pipe.close()
    process.wait()


def _parameter(name: str, parameter: Parameter) -> dict[str, Any]:
    if isinstance(parameter, Categorical | Ordinal):
        return {"name": name, "type": "cat", "categories": codes_of(parameter)}
    kind = ("pow" if parameter.log else "num") if isinstance(parameter, Float) else _whole(parameter.log)
    return {"name": name, "type": kind, "lb": parameter.low, "ub": parameter.high}


def _whole(log: bool) -> str:
    return "pow_int" if log else "int"
