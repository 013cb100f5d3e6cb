"""One run of the real PROTEUS program: params in, the last row of its table of results out.

Every run is a process of its own in a fresh folder, with the Python of the environment that `make proteus-env` makes.
The variable NONSTOP_PROTEUS names such an environment in another place.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nonstop import ObjectiveError
from nonstop_bench.problems.proteus_config import configuration

VARIABLE: Final = "NONSTOP_PROTEUS"
TIME_LIMIT: Final = 1800.0  # seconds; a run takes ten to twenty on a core of its own
_TAIL: Final = 12  # lines of the log that a failure repeats
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class Result:
    """How PROTEUS says it ended (13 target time, 10 solidified, 15 escaped, 12 iterations), and its last row."""

    status: int
    row: Mapping[str, float]


def environment() -> Path:
    """The folder of the environment that has PROTEUS, or ObjectiveError that says how to make one."""
    named = os.environ.get(VARIABLE)
    folder = Path(named) if named else Path(__file__).parents[3] / ".venv-proteus"
    if not (folder / "bin" / "proteus").is_file():
        where = f"{VARIABLE} names {folder}, which has no bin/proteus" if named else f"there is no {folder.name}"
        raise ObjectiveError(f"PROTEUS is not installed: {where}; `make proteus-env` makes it")
    return folder.absolute()


def run(params: Mapping[str, object], time_limit: float = TIME_LIMIT) -> Result:
    """Run PROTEUS at params of proteus_config.SPACE. ObjectiveError if it does not complete."""
    program = environment()
    with tempfile.TemporaryDirectory(prefix="proteus-") as name:
        folder = Path(name)
        output, data, config, log = (folder / part for part in ("output", "data", "config.toml", "log"))
        data.mkdir()  # PROTEUS asks for a folder of data, which these modules never open
        config.write_text(configuration(params, output), encoding="utf-8")
        variables = {
            **os.environ,
            "PYTHONPATH": str(program / "stubs"),
            "FWL_DATA": str(data),
            "TMPDIR": str(folder),
            "OMP_NUM_THREADS": "1",
        }
        command = [str(program / "bin" / "proteus"), "start", "-c", str(config), "--offline"]
        with log.open("wb") as out:
            try:
                # A session of its own: Ctrl-C is for the worker, which then kills this process.
                done = subprocess.run(
                    command,
                    cwd=folder,
                    env=variables,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    timeout=time_limit,
                    start_new_session=True,
                    check=False,
                )
            except OSError as error:
                raise ObjectiveError(f"PROTEUS cannot be started: {error}") from error
            except subprocess.TimeoutExpired:
                raise ObjectiveError(f"PROTEUS was stopped after {time_limit:g} s{_said(log)}") from None
        if done.returncode != 0:
            raise ObjectiveError(f"PROTEUS failed: {_ending(done.returncode)}{_said(log)}")
        return _result(output, log)


def status_of(text: str) -> int:
    """The number in the first line of the file `status`; the second line says it in words."""
    first = text.strip().splitlines()[0] if text.strip() else ""
    if not re.fullmatch(r"\d+", first.strip()):
        raise ObjectiveError(f"PROTEUS left a status that is no number: {first!r}")
    return int(first)


def last_row(text: str) -> dict[str, float]:
    """The last row of the table runtime_helpfile.csv, whose columns are separated by white space."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        raise ObjectiveError("PROTEUS left a table without a row")
    if len(lines[-1]) != len(lines[0]):
        raise ObjectiveError(f"PROTEUS left a table of {len(lines[0])} columns with a last row of {len(lines[-1])}")
    try:
        return dict(zip(lines[0], map(float, lines[-1]), strict=True))
    except ValueError as error:
        raise ObjectiveError(f"PROTEUS left a table that cannot be read: {error}") from None


def _result(output: Path, log: Path) -> Result:
    try:
        status = status_of((output / "status").read_text(encoding="utf-8"))
        table = (output / "runtime_helpfile.csv").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ObjectiveError(f"PROTEUS ended without {Path(error.filename).name}{_said(log)}") from None
    if not 10 <= status <= 19:  # 0 and 1: it had not ended; 20 to 29: errors
        raise ObjectiveError(f"PROTEUS did not complete: status {status}{_said(log)}")
    return Result(status, last_row(table))


def _ending(code: int) -> str:
    return f"exit status {code}" if code > 0 else f"killed by signal {-code} ({signal.strsignal(-code)})"


def _said(log: Path) -> str:
    """The last lines of the log, to stand at the end of a reason; its paths begin at the environment."""
    text = log.read_text(encoding="utf-8", errors="replace").replace(f"{environment().parent}{os.sep}", "")
    lines = _COLOUR.sub("", text).splitlines()
    told = [line.rstrip() for line in lines if line.strip()][-_TAIL:]
    return "".join(f"\n  {line}" for line in told)
