#!/usr/bin/env python3
"""A stand-in for sbatch, squeue and scontrol, by the name it is called by: it records how, in the folder STANDIN, and
sbatch runs the tasks of the array as processes of this machine, with the variables that Slurm sets."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

JOB = "4711"
STANDIN = Path(os.environ["STANDIN"])


def main() -> None:
    name = Path(sys.argv[0]).name
    with (STANDIN / f"{name}.jsonl").open("a") as record:
        record.write(json.dumps(sys.argv[1:]) + "\n")
    if name == "squeue":
        print((STANDIN / "state").read_text())
    if name == "sbatch":
        submit(sys.stdin.read())


def submit(script: str) -> None:
    (STANDIN / "script").write_text(script)
    words = [word for line in re.findall(r"^#SBATCH (.*)$", script, re.MULTILINE) for word in shlex.split(line)]
    options = dict(word.removeprefix("--").split("=", 1) for word in words if "=" in word)
    if "refused" in options.get("partition", ""):
        sys.exit("sbatch: error: invalid partition specified: refused")
    first, _, last = options["array"].partition("%")[0].partition("-")
    for task in range(int(first), int(last or first) + 1):
        start(str(task), options)
    print(f"{JOB};cluster")


def start(task: str, options: dict[str, str]) -> None:
    pattern = options["output"].replace("%A", JOB).replace("%a", task).replace("%%", "%")
    environment = {**os.environ, "SLURM_ARRAY_JOB_ID": JOB, "SLURM_ARRAY_TASK_ID": task, "SLURM_JOB_ID": f"90{task}"}
    with Path(pattern).open("a") as log:
        process = subprocess.Popen(
            ["/bin/bash", str(STANDIN / "script")],
            cwd=options["chdir"],
            env={**environment, "SLURM_PROCID": "0"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    (STANDIN / f"task-{task}").write_text(str(process.pid))


if __name__ == "__main__":
    main()
