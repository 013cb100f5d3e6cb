"""nonstop with its defaults: the task as a Space, with choices that bring parameters, steps and where=."""

from __future__ import annotations

import nonstop
from nonstop.space.parameters import Parameter as Theirs
from nonstop_bench.spaces.declared import Branch, Choice, Declared, Parameter, Params
from nonstop_bench.spaces.race import START


class Own:
    """A study in memory. The start that all contenders share stands for its quasi-random one."""

    def __init__(self, declared: Declared, seed: int) -> None:
        self._study = nonstop.create_study(space=space_of(declared), seed=seed, initial=START)

    def add(self, params: Params, value: float) -> None:
        """A completed trial."""
        self._study.add_trial(dict(params), value)

    def ask(self) -> tuple[nonstop.Trial, Params]:
        """The next trial."""
        trial = self._study.ask()
        assert trial.params is not None
        return trial, trial.params

    def tell(self, handle: nonstop.Trial, value: float | None) -> None:
        """A result. None would be a proposal that violates the constraints, which must never be made."""
        assert value is not None, f"{handle.params} violates the constraints"
        self._study.tell(handle, value)


def space_of(declared: Declared) -> nonstop.Space:
    """The space in nonstop's words."""
    return nonstop.Space(_branch(declared.parameters), where=list(declared.where))


def _branch(branch: Branch) -> dict[str, Theirs]:
    return {name: _parameter(parameter) for name, parameter in branch.items()}


def _parameter(parameter: Parameter) -> Theirs:
    if isinstance(parameter, Choice):
        return nonstop.Categorical(
            {option: nonstop.Space(_branch(inner)) if inner else None for option, inner in parameter.options.items()}
        )
    if parameter.whole:
        return nonstop.Int(int(parameter.low), int(parameter.high), log=parameter.log)
    return nonstop.Float(parameter.low, parameter.high, log=parameter.log, step=parameter.step)
