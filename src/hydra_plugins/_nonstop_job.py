"""The process of one job of a sweep. Hydra loads no module whose name begins with _, and this one imports nothing of
nonstop: a job starts as soon as Hydra and its own modules are there.

The file has a line with sys.path and sys.argv, for the code that starts this; a line with the job; and the launcher,
pickled. In the end it has `returned` and what the job returned: if not, the process ended without a word.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import IO, Any, Final

import cloudpickle
from hydra.core.singleton import Singleton
from hydra.core.utils import JobReturn, JobStatus, setup_globals

#: How the process starts: with the path of its parent, so that it finds the same modules.
CODE: Final = """
import json, os, sys
file = os.fdopen(int(sys.argv[1]), "rb+")
sys.path[:], sys.argv[:] = json.loads(file.readline())
from hydra_plugins._nonstop_job import run
run(file)
"""
#: The first line of the file in the end.
RETURNED: Final = b"returned\n"


def run(file: IO[bytes]) -> None:
    """Run the job of the file, and leave there what it returned."""
    os.set_inheritable(file.fileno(), False)
    job: dict[str, Any] = json.loads(file.readline())
    launcher, state = cloudpickle.loads(file.read())
    Singleton.set_state(state)
    setup_globals()
    [returned] = launcher.launch([job["overrides"]], initial_job_idx=job["number"])
    if returned.status is JobStatus.FAILED:
        traceback.print_exception(returned._return_value, file=sys.stderr)
    carried = _carried(returned)
    file.seek(0)
    file.truncate()
    file.write(RETURNED + carried)
    file.flush()


def _carried(returned: JobReturn) -> bytes:
    """What it returned; an exception or a value that cannot be carried is described."""
    try:
        data: bytes = cloudpickle.dumps(returned)
        cloudpickle.loads(data)  # not everything that can be pickled can be unpickled, exceptions above all
    except Exception:
        kept = returned._return_value
        described = f"{type(kept).__name__}: {kept}"
        returned.return_value = RuntimeError(described) if returned.status is JobStatus.FAILED else described
        data = cloudpickle.dumps(returned)
    return data
