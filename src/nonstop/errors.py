"""The errors that nonstop raises on purpose."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit


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


class RowsError(NonstopError, ValueError):
    """Rows of data do not fit a study; none of them was added."""

    #: How many errors the message has.
    MOST = 20

    def __init__(self, errors: Sequence[tuple[str, str]], rows: int) -> None:
        #: For each row that is wrong, where it is ("row 3", "line 17") and what is wrong.
        self.errors = tuple(errors)
        told = "; ".join(f"{where}: {what}" for where, what in self.errors[: self.MOST])
        more = f"; and {len(self.errors) - self.MOST} more" if len(self.errors) > self.MOST else ""
        wrong = "1 row is" if len(self.errors) == 1 else f"{len(self.errors)} rows are"
        super().__init__(f"{wrong} wrong of {rows}, so none was added: {told}{more}")


class StudyError(NonstopError, ValueError):
    """A study cannot be created, loaded or changed as asked."""


class StudyMismatchError(StudyError):
    """A study exists, but was created with other settings than those given now."""


class StudyFileError(StudyError):
    """A study file, or an option of the command line in its place, is wrong."""


class ObjectiveError(NonstopError, ValueError):
    """An objective cannot be found or used, or gave no value; raised by an objective, its message is stored as the
    reason of the failed trial."""


class StartError(ObjectiveError):
    """A command cannot be started at all: its program is not there, or is no program. That says nothing about the
    trial, so the run ends and the trial is given back."""


class StorageError(NonstopError, RuntimeError):
    """The storage cannot be reached, or does not contain what nonstop expects."""


class OutOfReachError(StorageError):
    """The storage did not answer, or was locked, for longer than is waited for: later it may."""


class MissingExtraError(NonstopError, ImportError):
    """An optional dependency is not installed; the message names the extra, and how this installation gets it."""

    def __init__(self, what: str, extra: str, distribution: str = "nonstop") -> None:
        super().__init__(f"{what} needs an optional dependency: {installing(extra, distribution)}")


def installing(extra: str, distribution: str = "nonstop") -> str:
    """The command that adds an extra to this installation: from the clone that it was installed from, if it was."""
    import importlib.metadata
    import json

    try:
        origin = json.loads(importlib.metadata.distribution(distribution).read_text("direct_url.json") or "{}")
        url, folder, version_control = (origin.get(key) for key in ("url", "dir_info", "vcs_info"))
    except (importlib.metadata.PackageNotFoundError, ValueError, AttributeError):  # not installed by pip, or damaged
        url = folder = version_control = None
    if isinstance(url, str) and isinstance(folder, dict):
        option = "-e " if folder.get("editable") else ""
        return f"pip install {option}{shlex.quote(f'{_nearby(url)}[{extra}]')}"
    at = f" @ {version_control['vcs']}+{url}" if version_control else ""
    return f"pip install {shlex.quote(f'{distribution}[{extra}]{at}')}"


def _nearby(url: str) -> str:
    """The folder of a file:// URL, as it is called from the current one where that is shorter."""
    path, here = Path(unquote(urlsplit(url).path)), Path.cwd()
    if path == here:
        return "."
    return f"./{path.relative_to(here)}" if path.is_relative_to(here) else str(path)
