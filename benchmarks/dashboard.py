"""The dashboard at 10,000 trials: how soon it is painted, what an update costs, whether it slows down workers.

python benchmarks/dashboard.py [--trials 10000] [--repeat 50] [--out benchmarks/results/dashboard.md]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sqlalchemy import insert, update

import nonstop
from nonstop.dashboard.figures import figure_json, figure_kinds
from nonstop.dashboard.watch import Watcher
from nonstop.storage.rows import to_columns
from nonstop.storage.schema import studies, trials
from nonstop.storage.sql import SqlStorage
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.trial import Trial, TrialState

SPACE = nonstop.Space({f"x{i}": nonstop.Float(0.0, 1.0) for i in range(6)})
DIAGNOSTICS = Diagnostics("model", mean=0.1, sd=0.2, nearest_busy=0.3, seconds=0.02, busy=(1, 2), cursor=0)
WORKERS = 8
#: An open page, in a process of its own: a thread here would slow down the worker that is measured.
_PAGE = "import sys, urllib.request\nfor _ in urllib.request.urlopen(sys.argv[1]): pass"
#: Records when parts of the page are painted. It runs inside the page, so as not to wait for the main thread.
_PAINT_OBSERVER = """
window.painted = {};
const parts = {numbers: '#best-params div', table: '#rows tr', trace: '[data-figure=trace] .main-svg'};
new MutationObserver(() => {
  for (const [name, selector] of Object.entries(parts)) {
    if (name in painted || !document.querySelector(selector)) continue;
    painted[name] = null;
    requestAnimationFrame(() => setTimeout(() => { painted[name] = performance.now(); }));
  }
}).observe(document, {childList: true, subtree: true});
"""
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
FLAGS += ["--disable-component-update"]


def trial_of(number: int, now: float, count: int) -> Trial:
    """A finished trial of one of the workers, a second long."""
    params = {f"x{i}": (number * (i + 3) % 9973) / 9973 for i in range(6)}
    value = sum((x - 0.3) ** 2 for x in params.values())
    start = now - (count - number) / WORKERS
    scales = tuple(0.3 + (number + i) % 7 / 10 for i in range(6))
    diagnostics = replace(DIAGNOSTICS, hyperparameters=Hyperparameters(scales, 1e-6))
    state, worker = TrialState.COMPLETED, f"worker-{number % WORKERS}"
    times = {"asked_at": start - 1.02, "started_at": start - 1.0, "finished_at": start}
    return Trial(number, state, params, value, number, number + 1, worker=worker, diagnostics=diagnostics, **times)


def fill(storage: SqlStorage, study: int, count: int) -> None:
    """Write trials in bulk: one transaction instead of three for each trial."""
    now = time.time()
    rows = [
        to_columns(trial_of(n, now, count)) | {"sequence": n + 1, "study_id": study, "request_id": f"bulk {n}"}
        for n in range(count)
    ]
    counters = update(studies).where(studies.c.id == study).values(sequence=count, completed=count)
    storage._database.write(lambda connection: (connection.execute(insert(trials), rows), connection.execute(counters)))


def one_trial(study: nonstop.Study) -> float:
    """Enqueue, ask and tell, without the model; the seconds that ask and tell took."""
    study.enqueue(dict.fromkeys(SPACE, 0.5))
    start = time.perf_counter()
    study.tell(study.ask("bench"), 0.5)
    return time.perf_counter() - start


async def updates(url: str, study: nonstop.Study, repeat: int) -> tuple[float, list[float]]:
    """Seconds of the first poll, and of polls with one new trial, including the message to the page."""
    storage = SqlStorage(url)
    watcher = Watcher(storage, storage.list_studies()[0])
    start = time.perf_counter()
    await watcher.feed.refresh()
    size = sum(len(text) for text in watcher.messages(0, 0.0))
    first = time.perf_counter() - start
    print(f"first message: {size / 1e6:.1f} MB", file=sys.stderr)
    seconds = []
    for _ in range(repeat):
        one_trial(study)
        cursor, start = watcher.cursor, time.perf_counter()
        await watcher.feed.refresh()
        assert list(watcher.messages(cursor, 0.0))
        seconds.append(time.perf_counter() - start)
    storage.close()
    return first, seconds


@contextmanager
def served(url: str) -> Iterator[str]:
    """Run the dashboard; its address."""
    command = [str(Path(sys.executable).parent / "nonstop"), "dashboard", url, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"(http://\S+)/ ", process.stdout.readline())
    assert found
    yield found[1]
    process.send_signal(signal.SIGINT)
    process.wait()


def latencies(address: str, study: nonstop.Study, repeat: int) -> list[float]:
    """Seconds from the call of tell to the event with the result, as a page receives it."""
    stream = urllib.request.urlopen(f"{address}/api/studies/1")
    seconds = []
    known = 0
    while known == 0:
        known = json.loads(stream.readline()[6:] or "{}").get("cursor", 0)
        stream.readline()
    for _ in range(repeat):
        study.enqueue(dict.fromkeys(SPACE, 0.5))
        trial, start = study.ask("bench"), time.perf_counter()
        study.tell(trial, 0.5)
        while not _has(stream.readline(), trial.number):
            pass
        seconds.append(time.perf_counter() - start)
    stream.close()
    return seconds


def _has(line: bytes, number: int) -> bool:
    if not line.startswith(b"data: "):
        return False
    rows = json.loads(line[6:]).get("trials", [])
    return any(row["number"] == number and row["state"] == "completed" for row in rows)


def interference(address: str, study: nonstop.Study, rounds: int) -> tuple[list[float], list[float]]:
    """Seconds of ask and tell without and with an open page, in turns: on a shared machine, two long blocks would
    differ by the load at that time."""
    alone: list[float] = []
    watched: list[float] = []
    for _ in range(rounds):
        alone += [one_trial(study) for _ in range(15)]
        page = subprocess.Popen([sys.executable, "-c", _PAGE, f"{address}/api/studies/1"])
        time.sleep(1.5)
        watched += [one_trial(study) for _ in range(15)]
        page.kill()
        page.wait()
        time.sleep(1.5)  # until the server has noticed that the page is closed
    return alone, watched


def painted(address: str) -> dict[str, float]:
    """Milliseconds in Chromium, with nothing cached: the first paint, the numbers, the table, the first figure."""
    from playwright.sync_api import sync_playwright

    path = next(found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.add_init_script(_PAINT_OBSERVER)
        page.goto(f"{address}/studies/1", wait_until="commit")
        page.wait_for_selector("[data-figure=trace] .main-svg", state="attached", timeout=60_000)
        page.wait_for_timeout(500)
        paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        times = {"first paint": page.evaluate(paint), **page.evaluate("window.painted")}
        browser.close()
    return times


def spread(seconds: list[float]) -> str:
    """Quantiles 0.1, 0.5 and 0.95 in milliseconds, as cells of a table."""
    ordered = sorted(seconds)
    return " | ".join(f"{1e3 * ordered[int(share * len(ordered))]:.1f}" for share in (0.1, 0.5, 0.95))


def measure(count: int, repeat: int, folder: str) -> Iterator[str]:
    """The rows of the table."""
    url = f"sqlite:///{folder}/runs.db"
    study = nonstop.create_study(url, "bench", space=SPACE)
    assert isinstance(study.storage, SqlStorage)
    fill(study.storage, study.id, count)
    first, seconds = asyncio.run(updates(url, study, repeat))
    yield f"| server: the first poll, of all trials | | {1e3 * first:.0f} | |"
    yield f"| server: an update with one new trial | {spread(seconds)} |"
    with served(url) as address:
        yield from (f"| browser: {name} | | {ms:.0f} | |" for name, ms in painted(address).items())
        yield f"| from tell() to the event at the page | {spread(latencies(address, study, repeat))} |"
        alone, watched = interference(address, study, rounds=8)
    yield f"| a worker's ask and tell, no page open | {spread(alone)} |"
    yield f"| a worker's ask and tell, the page open | {spread(watched)} |"
    known = study.trials
    for name, kind in figure_kinds().items():
        start = time.perf_counter()
        text = figure_json(kind.draw, study.spec, known)
        took = 1e3 * (time.perf_counter() - start)
        yield f"| figure: {name}, {len(text) / 1e3:.0f} kB, in its thread | | {took:.0f} | |"


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=50)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/dashboard.md"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = list(measure(arguments.trials, arguments.repeat, folder))
    machine = f"{platform.platform()}, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}, "
    machine += f"niceness {os.nice(0)}, Python {platform.python_version()}."
    head = [
        f"# Dashboard: {arguments.trials:,} trials, SQLite",
        "",
        "Made by `make bench-dashboard`. Milliseconds of wall time; one figure is one measurement.",
        machine,
        "",
        "The two rows about a worker were measured in turns. Compare them on a quiet machine only: where other",
        "programs take the processor, a commit waits far longer for its turn than for a reader.",
        "",
        "| what | p10 | median | p95 |",
        "|---|---|---|---|",
    ]
    arguments.out.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
    print(arguments.out.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
