"""`nonstop slurm`: the text of the script, what is refused, and real workers under a stand-in for sbatch."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import nonstop
from nonstop.cli.app import main
from nonstop.errors import StudyFileError
from nonstop.integrations.slurm import Job, array_of, line_of, script, time_of
from tests.helpers.commands import completed, trials, wait_until
from tests.helpers.postgres import postgres_url as postgres_url

OBJECTIVES = """
import time

def square(params):
    return (params["x"] - 0.3) ** 2

def first_is_endless(params, trial):
    if trial.number == 0 and trial.attempt == 1:
        time.sleep(600)
    return square(params)
"""
SPACE = ("-p", "x=float:0:1")


class Said(NamedTuple):
    out: str
    err: str


class Cluster:
    """A folder with a study's module, and programs that stand for Slurm's on the PATH."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.records = folder / "records"
        self.work = folder / "with space"
        self._patch, self._capsys = monkeypatch, capsys
        programs = folder / "bin"
        for made in (self.records, self.work, programs):
            made.mkdir()
        (self.work / "mine.py").write_text(OBJECTIVES)
        (self.records / "state").write_text("RUNNING")
        text = Path(__file__).with_name("standin.py").read_text().replace("/usr/bin/env python3", sys.executable)
        for name in ("sbatch", "squeue", "scontrol"):
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        self.url = f"sqlite:///{self.work / 'runs.db'}"
        monkeypatch.chdir(self.work)
        monkeypatch.delenv("NONSTOP_STORAGE", raising=False)
        monkeypatch.setenv("STANDIN", str(self.records))
        monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setattr(sys, "path", [*sys.path])  # a study file adds its folder

    def slurm(self, *arguments: str, code: int = 0, **env: str) -> Said:
        for key, value in env.items():
            self._patch.setenv(key, value)
        with pytest.raises(SystemExit) as left:
            main(("slurm", *arguments))
        said = Said(*self._capsys.readouterr())
        assert left.value.code == code, said
        return said

    def submit(self, text: str) -> None:
        subprocess.run(["sbatch"], input=text, text=True, cwd="/", check=True)

    def calls(self, program: str) -> list[Any]:
        record = self.records / f"{program}.jsonl"
        return [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []

    def signal(self, task: int, number: signal.Signals) -> None:
        """As Slurm does with `B:`: to the script alone."""
        os.kill(int((self.records / f"task-{task}").read_text()), number)

    def is_over(self, task: int) -> bool:
        try:
            os.kill(int((self.records / f"task-{task}").read_text()), 0)
        except ProcessLookupError:
            return True
        return False

    def end(self) -> None:
        """Nothing that was started here outlives the test."""
        for record in self.records.glob("task-*"):
            with suppress(ProcessLookupError):
                os.killpg(int(record.read_text()), signal.SIGKILL)

    def log(self, task: int) -> str:
        return (self.work / "nonstop-logs" / f"demo-4711_{task}.log").read_text()


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Cluster]:
    made = Cluster(tmp_path, monkeypatch, capsys)
    yield made
    made.end()


def job(**changes: Any) -> Job:
    given: dict[str, Any] = {
        "name": "demo",
        "array": "0-3",
        "worker": ("nonstop", "worker", "demo"),
        "folder": Path("/home/me"),
        "logs": Path("/home/me/logs"),
        "storage": "postgresql://me@db/runs",
    }
    return Job(**{**given, **changes})


def test_the_script_is_one_that_bash_understands() -> None:
    text = script(job(worker=("nonstop", "worker", "--command", "sh -c 'echo \"$1\"' sh {x}", "it's")))
    subprocess.run(["/bin/bash", "-n"], input=text, text=True, check=True)
    assert text.startswith("#!/bin/bash\n#SBATCH --job-name=demo\n#SBATCH --array=0-3\n")
    directives = text[: text.rindex("#SBATCH")].splitlines()[1:]
    assert all(line.startswith("#SBATCH ") for line in directives)  # Slurm reads no further than to the first command


def test_what_is_given_stands_in_the_script() -> None:
    text = script(job(options={"time": "4:00:00", "mem": "8 G"}, lines=("--exclusive -C fast",), requeue=False))
    for line in ("--time=4:00:00", "--mem='8 G'", "--exclusive -C fast", "--no-requeue", "--signal=B:USR1@60"):
        assert f"#SBATCH {line}\n" in text
    assert "scontrol" not in text
    assert "#SBATCH --requeue\n" in script(job())


def test_a_name_becomes_a_file_name_and_a_percent_stays_one() -> None:
    text = script(job(name="../my study\n%j", logs=Path("/logs 50%")))
    assert "#SBATCH --output='/logs 50%%/..-my-study-j-%A_%a.log'\n" in text


@pytest.mark.parametrize(
    ("given", "array"), [("32", "0-31"), ("1", "0-0"), ("32%8", "0-31%8"), ("1-9:2", "1-9:2"), ("3,5-6%1", "3,5-6%1")]
)
def test_arrays(given: str, array: str) -> None:
    assert array_of(given) == array


@pytest.mark.parametrize("given", ["0", "-3", "x", "", "3 --wrap", "1-", "8%0"])
def test_no_arrays(given: str) -> None:
    with pytest.raises(StudyFileError, match="--array"):
        array_of(given)


def test_times_are_those_of_slurm() -> None:
    for given in ("90", "4:00:00", "1-12", "1-12:30:00", "30:00"):
        assert time_of(given) == given
    for given in ("4h", "", "1:2:3:4", "4:00:00\n#SBATCH --x"):
        with pytest.raises(StudyFileError, match="Slurm's own form"):
            time_of(given)


@pytest.mark.parametrize("text", ["a\nb", "\t", "", "a\x1b[31m"])
def test_a_line_is_one_line(text: str) -> None:
    with pytest.raises(StudyFileError, match="one line"):
        line_of("--sbatch", text)


def test_workers_of_an_array_complete_the_budget(cluster: Cluster) -> None:
    where = ("--storage", cluster.url, "--one-machine", "--name", "demo", "--array", "3", "--n-trials", "9")
    said = cluster.slurm("mine:square", *SPACE, *where, "--partition", "p", "--cpus-per-task", "2")
    assert said.out == "4711\n"
    assert cluster.calls("sbatch") == [["--parsable"]]
    assert "#SBATCH --cpus-per-task=2\n" in (cluster.records / "script").read_text()
    wait_until(lambda: all(map(cluster.is_over, range(3))))
    found = trials(cluster.url, "demo")
    assert completed(cluster.url, "demo") == len(found) == 9
    assert {trial.worker for trial in found} <= {f"4711_{task}-w0" for task in range(3)}
    assert all("9 of 9" in cluster.log(task) or "9 completed" in cluster.log(task) for task in range(3)), cluster.log(0)
    assert not cluster.calls("scontrol")


def test_a_task_whose_time_is_up_gives_its_trial_back_and_goes_back_into_the_queue(cluster: Cluster) -> None:
    where = ("--storage", cluster.url, "--one-machine", "--name", "demo", "--n-trials", "2")
    cluster.slurm("mine:first_is_endless", *SPACE, *where)
    wait_until(lambda: any(trial.state is nonstop.TrialState.RUNNING for trial in trials(cluster.url, "demo")))
    cluster.signal(0, signal.SIGUSR1)
    wait_until(lambda: cluster.is_over(0))
    (trial,) = trials(cluster.url, "demo")
    assert trial.state is nonstop.TrialState.WAITING
    assert cluster.calls("scontrol") == [["requeue", "4711_0"]]
    cluster.submit((cluster.records / "script").read_text())  # as Slurm does
    wait_until(lambda: completed(cluster.url, "demo") == 2)
    assert [trial.attempt for trial in trials(cluster.url, "demo")] == [2, 1]


#: Stands for a worker: it ends as one does that gives its trial back.
WORKER = ("bash", "-c", 'trap "echo given back; exit 143" TERM; touch ready; while true; do sleep 0.02; done')


def interrupted(cluster: Cluster, number: signal.Signals, requeue: bool = True) -> None:
    here = {"folder": cluster.work, "logs": cluster.work}
    cluster.submit(script(job(worker=WORKER, array="0", requeue=requeue, **here)))
    wait_until((cluster.work / "ready").exists)
    cluster.signal(0, number)
    wait_until(lambda: cluster.is_over(0))


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGTERM])
def test_a_task_that_is_ended_while_slurm_says_that_it_runs_goes_back(cluster: Cluster, number: signal.Signals) -> None:
    interrupted(cluster, number)
    assert cluster.calls("squeue") == [["--noheader", "--jobs=4711_0", "--format=%T"]]
    assert cluster.calls("scontrol") == [["requeue", "4711_0"]]
    assert (cluster.work / "demo-4711_0.log").read_text() == "given back\ntask 4711_0 goes back into the queue\n"


@pytest.mark.parametrize("state", ["CANCELLED", "COMPLETING", "PENDING", ""])
def test_a_task_that_was_cancelled_or_is_already_queued_does_not_go_back(cluster: Cluster, state: str) -> None:
    (cluster.records / "state").write_text(state)
    interrupted(cluster, signal.SIGTERM)
    assert (cluster.work / "demo-4711_0.log").read_text() == "given back\n"
    assert not cluster.calls("scontrol")


def test_without_requeue_the_worker_is_ended_all_the_same(cluster: Cluster) -> None:
    interrupted(cluster, signal.SIGUSR1, requeue=False)
    assert (cluster.work / "demo-4711_0.log").read_text() == "given back\n"
    assert not cluster.calls("squeue")
    assert not cluster.calls("scontrol")


def test_the_exit_code_is_that_of_the_worker(tmp_path: Path) -> None:
    for code in (0, 1, 3):
        text = script(job(worker=("bash", "-c", f"exit {code}"), folder=tmp_path))
        assert subprocess.run(["/bin/bash"], input=text, text=True, cwd=tmp_path, check=False).returncode == code


def test_a_study_file_in_another_folder(cluster: Cluster) -> None:
    elsewhere = cluster.work / "elsewhere"
    elsewhere.mkdir()
    (cluster.work / "mine.py").rename(elsewhere / "mine.py")
    (elsewhere / "demo.toml").write_text(
        'objective = "mine:square"\nworkers = 2\nn_trials = 4\nmax_failures = 3\nuntil = "value -1"\n'
        '[space.x]\ntype = "float"\nlow = 0.0\nhigh = 1.0\n[space.kind]\ntype = "categorical"\nchoices = ["a", "1"]\n'
        '[fix]\nkind = "1"\n'
    )
    cluster.slurm("elsewhere/demo.toml", "--storage", cluster.url, "--one-machine")
    text = (cluster.records / "script").read_text()
    assert "#SBATCH --array=0-1\n" in text
    words = "--n-trials 4 --until 'value -1.0' --lease 120 --max-failures 3 --fix 'kind=\"1\"' -- demo mine:square"
    assert words in text
    wait_until(lambda: all(map(cluster.is_over, range(2))))
    assert completed(cluster.url, "demo") == 4, cluster.log(0)
    assert {(trial.params or {})["kind"] for trial in trials(cluster.url, "demo")} == {"1"}


def test_a_command_with_quotes_and_a_pipe(cluster: Cluster) -> None:
    command = "printf '%s\\n' \"it's\" {x} | tail -n 1"
    where = ("--storage", cluster.url, "--one-machine", "--name", "demo", "--n-trials", "2", "--discard-output")
    cluster.slurm("--command", command, "--shell", *SPACE, *where)
    wait_until(lambda: cluster.is_over(0))
    assert completed(cluster.url, "demo") == 2, cluster.log(0)


def test_a_dry_run_prints_the_script_and_does_nothing(cluster: Cluster) -> None:
    before = sorted(cluster.work.iterdir())
    said = cluster.slurm(
        "mine:square", *SPACE, "--storage", cluster.url, "--one-machine", "--n-trials", "2", "--dry-run"
    )
    assert said.out.startswith("#!/bin/bash\n")
    assert "/nonstop worker --n-trials 2 --lease 120 -- square mine:square &\n" in said.out
    assert sorted(cluster.work.iterdir()) == before
    assert not cluster.calls("sbatch")


def test_the_script_as_a_file(cluster: Cluster) -> None:
    where = ("--storage", cluster.url, "--one-machine", "--name", "demo", "--n-trials", "2", "-o", "job.sh")
    assert cluster.slurm("mine:square", *SPACE, *where).out == "wrote job.sh: submit it with sbatch\n"
    assert not cluster.calls("sbatch")
    assert trials(cluster.url, "demo") == ()
    assert (cluster.work / "nonstop-logs").is_dir()
    cluster.submit((cluster.work / "job.sh").read_text())
    wait_until(lambda: completed(cluster.url, "demo") == 2)


def test_a_study_with_several_outcomes(cluster: Cluster) -> None:
    goals = ("--minimize", "error", "--subject-to", "memory <= 8")
    where = ("--storage", cluster.url, "--one-machine", "--name", "demo", "--n-trials", "2", "-o", "job.sh")
    cluster.slurm("mine:square", *SPACE, *goals, *where)
    made = nonstop.load_study(cluster.url, "demo").spec.goals
    assert made.names == ("error", "memory")


def test_a_password_stands_neither_in_the_script_nor_in_arguments(cluster: Cluster, postgres_url: str) -> None:
    secret = re.sub(r"://([^@:]+)@", r"://\1:s3cret@", postgres_url)
    assert "s3cret" in secret
    where = ("--name", "demo", "--n-trials", "2")
    said = cluster.slurm("mine:square", *SPACE, *where, NONSTOP_STORAGE=secret)
    text = (cluster.records / "script").read_text()
    assert "s3cret" not in text + said.out + said.err + str(cluster.calls("sbatch"))
    assert "NONSTOP_STORAGE:?" in text
    wait_until(lambda: cluster.is_over(0))
    assert completed(secret, "demo") == 2, cluster.log(0)
    assert "s3cret" not in cluster.log(0)
    written = cluster.slurm("mine:square", *SPACE, *where, "-o", "job.sh", NONSTOP_STORAGE=secret)
    assert "with the URL of the storage in NONSTOP_STORAGE" in written.out
    assert "s3cret" not in (cluster.work / "job.sh").read_text()
    bare = {"PATH": os.environ["PATH"]}
    left = subprocess.run(["/bin/bash", "job.sh"], env=bare, capture_output=True, text=True, check=False)
    assert left.returncode != 0
    assert "before you call sbatch" in left.stderr


def test_postgresql_without_a_password_stands_in_the_script(cluster: Cluster) -> None:
    where = ("--storage", "postgresql://me@db/runs", "--n-trials", "2", "--dry-run")
    assert "export NONSTOP_STORAGE=postgresql://me@db/runs\n" in cluster.slurm("mine:square", *SPACE, *where).out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--n-trials", "2"), "is for one machine"),
        (
            ("--storage", "sqlite:///x.db", "--n-trials", "2"),
            "is for one machine, and the tasks of an array run on many",
        ),
        (("--one-machine",), "there is no budget"),
        (("--one-machine", "--n-trials", "2", "--time", "4h"), "Slurm's own form"),
        (("--one-machine", "--n-trials", "2", "--array", "many"), "--array"),
        (("--one-machine", "--n-trials", "2", "--partition", "a\n#SBATCH --x"), "--partition"),
        (("--one-machine", "--n-trials", "2", "--sbatch", "-x\nrm"), "--sbatch"),
        (("--one-machine", "--n-trials", "2", "--name", "a.db"), "called like a storage"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_stored(
    cluster: Cluster, arguments: tuple[str, ...], complaint: str
) -> None:
    before = sorted(cluster.work.iterdir())
    assert complaint in cluster.slurm("mine:square", *SPACE, *arguments, code=2).err
    assert sorted(cluster.work.iterdir()) == before


@pytest.mark.parametrize(("key", "hint"), [('engine = "dask"', "Slurm starts"), ("gpus = [0, 1]", "--gres")])
def test_keys_of_another_engine(cluster: Cluster, key: str, hint: str) -> None:
    (cluster.work / "demo.toml").write_text(
        f'objective = "mine:square"\nn_trials = 4\n{key}\n[space.x]\ntype = "float"\nlow = 0.0\nhigh = 1.0\n'
    )
    assert hint in cluster.slurm("demo.toml", "--one-machine", code=2).err


def test_what_sbatch_refuses_is_said(cluster: Cluster) -> None:
    where = ("--storage", cluster.url, "--one-machine", "--n-trials", "2", "--partition", "refused")
    said = cluster.slurm("mine:square", *SPACE, *where, code=1)
    assert "sbatch refused the job: sbatch: error: invalid partition" in said.err
    assert said.out == ""


def test_a_machine_without_slurm(cluster: Cluster) -> None:
    where = ("--storage", cluster.url, "--one-machine", "--n-trials", "2")
    said = cluster.slurm("mine:square", *SPACE, *where, code=1, PATH="/nowhere")
    assert "no sbatch here" in said.err
    assert trials(cluster.url, "square") == ()
