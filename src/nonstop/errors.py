"""What can go wrong, by name. Everything nonstop raises on purpose is a NonstopError."""

from __future__ import annotations


class NonstopError(Exception):
    """The base of every error that nonstop raises on purpose."""


class SpaceError(NonstopError, ValueError):
    """A search space is declared wrongly."""


class ParamsError(NonstopError, ValueError):
    """Parameters do not fit the search space."""


class DataError(NonstopError, ValueError):
    """Arrays handed to propose() do not fit together."""


class RuleError(NonstopError, ValueError):
    """An acquisition rule is unknown or badly configured."""


class TrialError(NonstopError, ValueError):
    """A trial cannot be told, started or found as asked."""


class StudyError(NonstopError, ValueError):
    """A study cannot be created, loaded or changed as asked."""


class StudyMismatchError(StudyError):
    """A study exists, but was made with other settings than those that are given now."""


class StudyFileError(StudyError):
    """A study file, or an option in its place, says something that cannot be."""


class ObjectiveError(NonstopError, ValueError):
    """An objective cannot be found or used, or gave no value; the message is the reason that a failed trial keeps."""


class StorageError(NonstopError, RuntimeError):
    """The storage cannot be reached or does not hold what nonstop expects."""


class MissingExtraError(NonstopError, ImportError):
    """An optional dependency is not installed; the message names the extra."""

    def __init__(self, what: str, extra: str, distribution: str = "nonstop") -> None:
        super().__init__(f"{what} needs an optional dependency: pip install '{distribution}[{extra}]'")
