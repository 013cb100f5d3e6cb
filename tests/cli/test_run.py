"""`nonstop run` and `nonstop worker`, in processes of their own: what they do and say, and how they end."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

from tests.helpers.commands import completed, in_terminal, run, start, trials, wait_until

SQUARE = ("mine:square", "-p", "x=float:0:1")
URL = "sqlite:///nonstop.db"


def url_in(folder: Path) -> str:
    return f"sqlite:///{folder / 'nonstop.db'}"


def test_a_function(folder: Path) -> None:
    done = run("run", *SQUARE, "--n-trials", "8", "--workers", "2", cwd=folder)
    assert re.search(r"^best +\d.* at trial \d+: x=0\.\d+$", done.stdout, re.MULTILINE)
    assert re.search(r"^trials +8 completed, in ", done.stdout, re.MULTILINE)
    assert re.search(r"^workers +2: \d+\.\d % evaluating", done.stdout, re.MULTILINE)
    assert re.search(rf"^next +nonstop show {URL} square$", done.stdout, re.MULTILINE)
    assert re.search(r"^\[ .* s\] best \S+ at trial \d+: x=", done.stderr, re.MULTILINE)
    assert "8 of 8 done (100 %), 0 running, 0 failed" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert completed(url_in(folder), "square") == 8


def test_the_same_command_again_ends_with_the_same_budget(folder: Path) -> None:
    command = ("run", *SQUARE, "--n-trials", "4", "--quiet", "--json")
    first, second = (json.loads(run(*command, cwd=folder).stdout) for _ in range(2))
    assert first["counts"] == second["counts"]
    assert first["counts"]["completed"] == 4
    more = json.loads(run(*command, "--n-trials", "6", cwd=folder).stdout)
    assert more["counts"]["completed"] == 6


def test_a_shell_command(folder: Path) -> None:
    (folder / "train.py").write_text(
        "import sys\nprint('at work')\nprint(float(sys.argv[1]) ** 2 + len(sys.argv[2]))\n"
    )
    command = "python train.py {lr} {loss}"
    words = ("-p", "lr=float:0.1:10:log", "-p", "loss=cat:l1,'; touch pwned'")
    done = run("run", "--command", command, *words, "--n-trials", "5", "--quiet", "--json", cwd=folder)
    said = json.loads(done.stdout)
    assert done.stderr == ""
    assert (said["name"], said["state"], said["counts"]["completed"]) == ("train", "finished", 5)
    assert said["best"]["value"] >= 2.01
    assert said["next"] == f"nonstop show {URL} train"
    assert not (folder / "pwned").exists()


def test_a_study_file_and_options_that_override_it(folder: Path) -> None:
    (folder / "study.toml").write_text(
        'objective = "mine:square"\nn_trials = 3\nworkers = 1\n[space.x]\ntype = "float"\nlow = 0\nhigh = 1\n'
    )
    options = ("--name", "other", "--storage", "sqlite:///other.db", "--n-trials", "4", "--direction", "maximize")
    said = json.loads(run("run", "study.toml", *options, "-p", "y=int:1:3", "--json", cwd=folder).stdout)
    assert (said["name"], said["storage"], said["counts"]["completed"]) == ("other", "sqlite:///other.db", 4)
    assert set(said["best"]["params"]) == {"x", "y"}
    assert not (folder / "nonstop.db").exists()
    shown = json.loads(run("show", "sqlite:///other.db", "other", "--json", cwd=folder).stdout)
    assert (shown["direction"], list(shown["space"])) == ("maximize", ["x", "y"])


def test_too_many_failures_end_a_run(folder: Path) -> None:
    done = run("run", "mine:broken", "-p", "x=float:0:1", "--n-trials", "9", "--max-failures", "3", cwd=folder, code=1)
    assert "stopped after 3 failed trials in a row" in done.stderr
    assert "ValueError: this never works" in done.stdout
    assert "Traceback" not in done.stderr
    said = run(
        "run",
        "mine:broken",
        "-p",
        "x=float:0:1",
        "--n-trials",
        "9",
        "--max-failures",
        "2",
        "--json",
        cwd=folder,
        code=1,
    )
    summary = json.loads(said.stdout)
    assert summary["state"] == "failed"
    assert "this never works" in summary["reason"]
    assert summary["best"] is None


def test_time_limits(folder: Path) -> None:
    words = ("-p", "x=float:0:1", "--timeout", "1s", "--trial-timeout", "0.3s", "--max-failures", "99", "--json")
    said = json.loads(run("run", "mine:endless", *words, cwd=folder).stdout)
    assert said["counts"]["failed"] >= 1
    assert "time limit of 0.3 s" in said["failures"][0]["reason"]


def test_more_workers_for_a_study(folder: Path) -> None:
    run("run", *SQUARE, "--n-trials", "2", "-q", cwd=folder)
    said = run("worker", URL, "square", "mine:square", "--n-trials", "5", "--json", cwd=folder)
    assert json.loads(said.stdout)["counts"]["completed"] == 5
    environment = {"NONSTOP_STORAGE": URL}
    done = run("worker", "square", "--command", "echo 0.5", "--n-trials", "7", "--changed", cwd=folder, env=environment)
    assert "next     nonstop show square" in done.stdout
    assert completed(url_in(folder), "square") == 7


def test_ctrl_c_keeps_every_result_and_says_how_to_resume(folder: Path) -> None:
    command = ("run", "mine:slow", "-p", "x=float:0:1", "--n-trials", "12", "--workers", "2", "--lease", "60s")
    process = start(*command, cwd=folder)
    wait_until(lambda: completed(url_in(folder), "slow") >= 3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "nonstop: interrupted; no result is lost" in err
    assert f"resume   nonstop {' '.join(command)}" in err
    assert "Traceback" not in out + err
    states = [trial.state.value for trial in trials(url_in(folder), "slow")]
    assert 3 <= states.count("completed") < 12
    assert set(states) <= {"completed", "waiting"}, "running trials were handed back"
    run(*command, "--quiet", cwd=folder)
    assert completed(url_in(folder), "slow") == 12


def test_sigterm_ends_a_run_as_well(folder: Path) -> None:
    process = start("run", "mine:endless", "-p", "x=float:0:1", "--n-trials", "3", cwd=folder)
    wait_until(lambda: len(trials(url_in(folder), "endless")) == 1)
    process.terminate()
    _, err = process.communicate(timeout=30)
    assert process.returncode == 143
    assert "nonstop: terminated; no result is lost" in err


def test_in_a_terminal_there_is_a_panel(folder: Path) -> None:
    code, said = in_terminal(
        "run", "mine:talkative", "-p", "x=float:0:1", "--n-trials", "6", "--workers", "2", cwd=folder
    )
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said)
    assert "talkative, minimize" in plain
    assert re.search(r"━+ \d of 6 done \(\d+[.\d]* %\), \d running, 0 failed", plain)
    assert re.search(r"\S+-w0 +(evaluating trial|proposing trial|idle)", plain)
    assert re.search(r"\S+-w1 ", plain)
    assert plain.count("I am at work") == 6, "what workers print stands above the panel, each line once"
    assert re.search(r"best +\d\S* at trial \d+: x=0\.\d+\r\n *trials +6 completed", plain)
    assert said.count("\x1b[?25l") == said.count("\x1b[?25h"), "the cursor is shown again"


def test_an_error_in_a_terminal_is_red(folder: Path) -> None:
    code, said = in_terminal("ls", "sqlite:///absent.db", cwd=folder)
    assert code == 1
    assert said.startswith("\x1b[31mnonstop: there is no file")


def test_the_output_can_be_cut_off(folder: Path) -> None:
    run("run", *SQUARE, "--n-trials", "3", "-q", cwd=folder)
    assert run("export", URL, "square", "--format", "jsonl", cwd=folder).stdout.count("\n") == 3


def test_shell_completion(folder: Path) -> None:
    script = run(cwd=folder, env={"_NONSTOP_COMPLETE": "bash_source"}).stdout
    assert "_nonstop_completion" in script
    words = {"_NONSTOP_COMPLETE": "bash_complete", "COMP_WORDS": "nonstop sh", "COMP_CWORD": "1"}
    assert run(cwd=folder, env=words).stdout == "plain,show\n"
