"""What the Tab key does in a real bash: files, names, studies; and that it changes nothing."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from click.testing import CliRunner

import nonstop
from nonstop.acquisition.rules import RULES
from nonstop.cli.app import app, main
from nonstop.storage.names import study_names
from tests.helpers.postgres import fresh

BASH = shutil.which("bash")
SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
EVIL = "$(touch pwned) `touch pwned`; touch pwned"
needs_bash = pytest.mark.skipif(BASH is None, reason="there is no bash here")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("completion")
    url = f"sqlite:///{folder / 'runs.db'}"
    for name in ("demo", "demo two", EVIL, "line\nbreak"):
        nonstop.create_study(url, name, space=SPACE).storage.close()
    (folder / "study.toml").write_text("")
    (folder / "stuff.txt").write_text("")
    (folder / "stores").mkdir()
    (folder / "stores" / "deep.toml").write_text("")
    (folder / "complete.bash").write_text(CliRunner().invoke(app, ["completion", "bash"]).output)
    return folder


def environment(**variables: str) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {key: value for key, value in os.environ.items() if key not in ("NONSTOP_STORAGE", "PROMPT_COMMAND")}
    return {**kept, "PATH": path, **variables}


class Answer(Protocol):
    def __call__(self, line: str, **variables: str) -> list[str]: ...


@pytest.fixture
def answered(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Answer:
    """What bash would insert at the end of a line, by the program that its script calls, in this process."""

    def answered(line: str, **variables: str) -> list[str]:
        monkeypatch.chdir(folder)
        monkeypatch.delenv("NONSTOP_STORAGE", raising=False)
        asked = {"_NONSTOP_COMPLETE": "bash_complete", "NONSTOP_LINE": line, "NONSTOP_BREAKS": " :=", **variables}
        for name, value in asked.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit, match="0"):
            main([])
        said = capsys.readouterr()
        assert said.err == ""
        return [found.split("\t")[1] for found in said.out.splitlines() if found]

    return answered


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("nonstop sh", ["show"]),
        ("nonstop completion ", ["bash", "zsh", "fish"]),
        ("nonstop run st", ["study.toml", "stores/"]),
        ("nonstop run stores/", ["stores/deep.toml"]),
        ("nonstop run --surr", ["--surrogate"]),
        ("nonstop slurm st", ["study.toml", "stores/"]),
        ("nonstop slurm --part", ["--partition"]),
        ("nonstop slurm --storage sqlite:///ru", ["///runs.db"]),
        ("nonstop run --surrogate ", ["nonstop", "paper"]),
        ("nonstop run --engine d", ["dask"]),
        ("nonstop run --direction=ma", ["maximize"]),
        ("nonstop run --rule kb-", ["kb-ucb", "kb-logei"]),
        ("nonstop run --rule ucb+kb-l", ["ucb+kb-logei"]),
        ("nonstop run --storage sqlite:///ru", ["///runs.db"]),  # bash holds sqlite: for a word of its own
        ("nonstop run --storage sqlite:///runs.db --name demo\\ ", ["demo\\ two"]),
        ("nonstop show ", ["runs.db", "stores/"]),
        ("nonstop ls r", ["runs.db"]),
        ("nonstop show sqlite:", ["///runs.db", "///stores/"]),
        ("nonstop rename runs.db demo\\ t", ["demo\\ two"]),
        ("nonstop show sqlite:///runs.db demo", ["demo\\ two", "demo"]),
        ("nonstop show sqlite:///runs.db 'demo t", ["demo two"]),
        ("nonstop show runs.db demo\\ t", ["demo\\ two"]),
        ("nonstop export sqlite:///runs.db demo --format js", ["json", "jsonl"]),
        ("nonstop show sqlite:///none.db ", []),
        ("nonstop show nothing://here ", []),
        ("nonstop show postgresql://nobody@127.0.0.1:1/none ", []),
        ("nonstop ls 'unclosed ", []),
        ("nonstop nothing x", []),
    ],
)
def test_bash_is_offered(line: str, found: list[str], folder: Path, answered: Answer) -> None:
    before = sorted(path.name for path in folder.iterdir())
    assert answered(line) == found
    assert sorted(path.name for path in folder.iterdir()) == before, "completion creates no file"


def test_the_variable_names_the_storage(folder: Path, answered: Answer) -> None:
    found = answered("nonstop best d", NONSTOP_STORAGE=f"sqlite:///{folder / 'runs.db'}")
    assert found == ["demo\\ two", "demo"]


def test_where_an_equals_sign_is_part_of_a_word_it_is_repeated(answered: Answer) -> None:
    assert answered("nonstop run --engine=d", NONSTOP_BREAKS=" ") == ["--engine=dask"]


def test_every_rule_is_offered(answered: Answer) -> None:
    assert answered("nonstop run --rule ") == list(RULES)


def screen(shell: int, until: str, seconds: float = 30.0) -> str:
    """What the terminal shows until a text appears; the rest is the assertion's matter."""
    seen, end = "", time.monotonic() + seconds
    while until not in seen and time.monotonic() < end:
        if select.select([shell], [], [], 0.2)[0]:
            seen += os.read(shell, 65_536).decode(errors="replace")
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen)


@pytest.fixture
def shell(folder: Path) -> Iterator[int]:
    """An interactive bash on a terminal, in which the script was sourced."""
    assert BASH is not None
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(BASH, ["bash", "--norc", "--noprofile", "-i"], environment(PS1="> ", TERM="dumb"))
    try:
        os.write(terminal, b"source complete.bash; echo rea''dy\n")
        assert "ready" in screen(terminal, "ready")
        yield terminal
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


@needs_bash
def test_the_tab_key_completes_a_url_and_a_study_in_a_terminal(shell: int) -> None:
    os.write(shell, b"nonstop show sqlite:///ru\t")
    assert "sqlite:///runs.db " in screen(shell, "runs.db ")
    os.write(shell, b"demo\\ \t")
    assert screen(shell, "two ").endswith("two ")
    os.write(shell, b"\n")
    assert "study   demo two in sqlite:" in screen(shell, "no result yet")


@needs_bash
def test_a_name_of_somebody_else_runs_nothing(shell: int, folder: Path) -> None:
    os.write(shell, b"echo said nonstop; nonstop best sqlite:///runs.db \\$\t")
    seen = screen(shell, "touch\\ pwned ")  # the line is longer than the terminal is wide: its end
    assert "\\(touch\\ pwned\\)\\ \\`touch\\ pwned\\`\\;\\ touch\\ pwned" in seen
    os.write(shell, b"\n")
    assert "has no completed trial yet" in screen(shell, "yet")
    assert not (folder / "pwned").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_says_where_to_put_it(shell: str) -> None:
    script = CliRunner().invoke(app, ["completion", shell]).output
    assert f"nonstop completion {shell}" in script
    assert f"{shell}_complete" in script
    assert script.count("#compdef") == (shell == "zsh")


def test_the_variable_of_click_gives_the_same_script(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_NONSTOP_COMPLETE", "bash_source")
    with pytest.raises(SystemExit, match="0"):
        main([])
    assert capsys.readouterr().out.strip() == CliRunner().invoke(app, ["completion", "bash"]).output.strip()


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_answers(shell: str, folder: Path) -> None:
    line = "nonstop run --rule kb"
    words = {"zsh": {"COMP_WORDS": line, "COMP_CWORD": "3"}, "fish": {"COMP_WORDS": line, "COMP_CWORD": "kb"}}[shell]
    variables = environment(_NONSTOP_COMPLETE=f"{shell}_complete", **words)
    said = subprocess.run(["nonstop"], cwd=folder, env=variables, capture_output=True, text=True, check=True)
    assert "kb-ucb" in said.stdout
    assert "kb-logei" in said.stdout


def test_names_are_read_while_others_write(tmp_path: Path) -> None:
    """From a write-ahead log, too; and without one, no file appears beside the database."""
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    study = nonstop.create_study(url, "first", space=SPACE)
    nonstop.create_study(study.storage, "second", space=SPACE)
    assert study_names(url) == ["second", "first"]
    study.storage.close()
    before = sorted(path.name for path in tmp_path.iterdir())
    assert study_names(url) == ["second", "first"]
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert study_names("sqlite://") == []


def test_names_are_read_from_postgresql(postgres_url: str) -> None:
    url = fresh(postgres_url)
    nonstop.create_study(url, "on a server", space=SPACE).storage.close()
    assert study_names(url) == ["on a server"]
