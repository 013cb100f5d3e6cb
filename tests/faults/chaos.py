"""The storm: many workers on one storage, killed and stopped at random, replaced at once; then the audit.

    python -m tests.faults.chaos URL FOLDER --workers 32 --seconds 8

A process of its own, without threads, so that it may fork its workers: a replacement costs milliseconds, not an import.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path

from nonstop.storage.sql import SqlStorage
from tests.faults import audit
from tests.faults.diary import Diary
from tests.faults.mutants import MUTANTS
from tests.faults.worker import Worker, drain


@dataclass
class Herd:
    """The workers that are alive now."""

    url: str
    study: int
    folder: Path
    lease: float
    alive: set[int] = field(default_factory=set)
    stopped: dict[int, float] = field(default_factory=dict)  # process -> when to let it go on
    born: int = 0
    crashes: int = 0

    def spawn(self) -> None:
        self.born += 1
        name = f"worker {self.born}"
        child = os.fork()
        if child:
            self.alive.add(child)
            return
        status = 1
        try:
            storage = SqlStorage(self.url)
            Worker(storage, self.study, name, self.folder, self.lease).live()
            storage.close()
            status = 0
        except BaseException as error:
            traceback.print_exc()
            Diary(self.folder / f"{name} crash.diary").write("crash", f"{type(error).__name__}: {error}"[:300])
        finally:
            os._exit(status)

    def reap(self, options: int = os.WNOHANG) -> None:
        """Bury who ended by itself; a worker never should before it is told to."""
        for child in list(self.alive):
            pid, status = os.waitpid(child, options)
            if pid:
                self.alive.discard(child)
                self.crashes += status != 0

    def kill(self) -> None:
        victim = random.choice(sorted(self.alive))
        os.kill(victim, signal.SIGKILL)
        os.waitpid(victim, 0)
        self.alive.discard(victim)

    def stop(self) -> None:
        """Stop one for two leases, long enough for the others to hand its trial on."""
        victim = random.choice(sorted(self.alive))
        os.kill(victim, signal.SIGSTOP)
        self.stopped[victim] = time.monotonic() + 2 * self.lease

    def go_on(self, now: float) -> None:
        for victim, until in list(self.stopped.items()):
            if until <= now:
                del self.stopped[victim]
                if victim in self.alive:
                    os.kill(victim, signal.SIGCONT)

    def end(self, patience: float = 60) -> None:
        (self.folder / "stop").touch()
        self.go_on(float("inf"))
        deadline = time.monotonic() + patience
        while self.alive and time.monotonic() < deadline:
            self.reap()
            time.sleep(0.01)
        self.crashes += len(self.alive)
        while self.alive:
            self.kill()


def storm(herd: Herd, workers: int, seconds: float, pause: tuple[float, float] | None) -> dict[str, int]:
    """Kill every now and then; one time in five, stop a worker instead."""
    for _ in range(workers):
        herd.spawn()
    kills = stalls = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(random.uniform(*pause) if pause else 0.1)
        herd.reap()
        herd.go_on(time.monotonic())
        if pause is None or not herd.alive:
            continue
        if random.random() < 0.2:
            stalls += 1
            herd.stop()
        else:
            kills += 1
            herd.kill()
        while len(herd.alive) < workers:
            herd.spawn()
    herd.end()
    return {"workers": herd.born, "killed": kills, "stalled": stalls, "crashed": herd.crashes}


def run(arguments: argparse.Namespace) -> dict[str, object]:
    if arguments.mutant:
        MUTANTS[arguments.mutant]()
    storage = SqlStorage(arguments.url)
    study = storage.create_study("storm", {}).id
    storage.close()
    herd = Herd(arguments.url, study, arguments.folder, arguments.lease)
    try:
        figures = storm(herd, arguments.workers, arguments.seconds, arguments.kill)
    finally:
        herd.end(patience=0)
    found = [f"crash: {herd.crashes} workers failed"] if herd.crashes else []
    try:
        drain(arguments.url, study, arguments.folder)
    except Exception as error:
        found.append(f"crash: nobody could finish what was left: {error}")
    storage = SqlStorage(arguments.url)
    evidence = audit.collect(storage, study, arguments.folder)
    storage.close()
    return {"figures": figures | audit.figures(evidence), "problems": found + audit.problems(evidence)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--kill", type=float, nargs=2, help="seconds between two kills: from, to")
    parser.add_argument("--lease", type=float, default=0.5)
    parser.add_argument("--mutant", choices=sorted(MUTANTS))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # so that the finally below us ends the workers
    answer = run(parser.parse_args())
    print(json.dumps(answer))
    sys.exit(1 if answer["problems"] else 0)


if __name__ == "__main__":
    main()
