"""No value becomes a part of a program, in any template that is accepted."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import nonstop
from nonstop.errors import ObjectiveError
from nonstop.workers.command import Command

#: Every argument here is program text where {v} stands, for some program on the way.
PROGRAMS = [
    "sh -c ./train-{v}",
    "sh -c {v}",
    "/bin/sh -c ./train-{v}",
    "bash -lc ./train-{v}",
    "sh -ec ./train-{v}",
    "sh -e -c ./train-{v}",
    "sh -c -e ./train-{v}",
    "bash -o pipefail -c ./train-{v}",
    "bash -c -o pipefail ./train-{v}",
    "bash +o posix -euxo pipefail -c ./train-{v}",
    "sh -c -- ./train-{v}",
    "zsh -c ./train-{v}",
    "dash -c 'a {v}'",
    "env sh -c ./train-{v}",
    "env A=1 nice -n 5 sh -c ./train-{v}",
    "timeout 10 /usr/bin/env bash -c ./train-{v}",
    "env -S ./train-{v}",
    "env -S{v}",
    "srun --ntasks 1 sh -c ./train-{v}",
    "sh -c 'exec \"$@\"' sh perl -e {v}",
    "python -c print({v})",
    "python3.11 -Ic {v}",
    "python -W ignore -c {v}",
    "python -u -X dev -c {v}",
    "python -c{v}",
    "perl -e {v}",
    "perl -lane {v}",
    "perl -e 1 -e {v}",
    "perl -I lib -e {v}",
    "perl -M{v} x.pl",
    "ruby -e {v}",
    "node -e {v}",
    "node --trace-warnings -pe {v}",
    "node --eval={v}",
    "deno eval {v}",
    "php -r {v}",
    "Rscript -e {v}",
    "julia --eval {v}",
    "awk {v}",
    "sed -e {v}",
    "ssh host train --loss {v}",
    "xargs {v}",
    "eval {v}",
    "watch ./train-{v}",
    "su -c ./train-{v}",
    "sbatch --wrap ./train-{v}",
    "busybox sh -c {v}",
    "find . -exec {v}",
]
#: Here it is data, whatever it contains.
DATA = [
    "train {v}",
    "train --loss={v} --n 3",
    "./train.sh {v}",
    "python train.py --loss {v}",
    "python -u train.py --loss {v}",
    "python -m train --loss {v}",
    "python -W ignore train.py {v}",
    "python -c 'import sys' --loss {v}",
    "sh -c 'train \"$1\" | tail -1' sh {v}",
    "bash -euo pipefail -c 'train \"$1\" | tail -1' bash {v}",
    "sh train.sh {v}",
    "env A=1 train {v}",
    "nice -n 5 train {v}",
    "perl train.pl {v}",
    "node train.js {v}",
    "Rscript train.R {v}",
]
NASTY = ["$(touch x)", "; touch x", "`touch x`", "a b", "x\ntouch x", "'", '"', "|touch x", "&&touch x", "#", "*", ""]


@pytest.mark.parametrize("template", PROGRAMS)
def test_no_text_in_a_program(template: str) -> None:
    for value in [*NASTY, "l1", "exit"]:
        with pytest.raises(ObjectiveError, match=r"inside a script|choose the program"):
            Command(template).arguments({"v": value})
        with pytest.raises(ObjectiveError, match=r"inside a script|choose the program"):
            Command(template).check(nonstop.Space({"v": nonstop.Categorical(["1", value])}))
    for number in (3, -0.5, True, None):
        Command(template).arguments({"v": number})


@pytest.mark.parametrize("template", DATA)
def test_any_text_as_data(template: str) -> None:
    for value in [*NASTY, "-rf", "{v}", "}}"]:
        assert any(value in argument for argument in Command(template).arguments({"v": value}))
    Command(template).check(nonstop.Space({"v": nonstop.Categorical(NASTY)}))


@pytest.mark.parametrize(
    "template", ["train 'a {v} b'", "unknown-shell -c {v}", "my.exe -e {v}", "train '{{\"a\": {v}}}'"]
)
def test_where_a_program_may_be_only_harmless_text(template: str) -> None:
    for value in NASTY:
        with pytest.raises(ObjectiveError, match="inside a script"):
            Command(template).arguments({"v": value})
    for value in ("l1", "a/b.yaml", "x=1", "-1"):
        Command(template).arguments({"v": value})


def test_the_name_of_the_program() -> None:
    assert Command("./train-{v} 1").arguments({"v": "l1"})[0] == "./train-l1"
    for template, value in (
        ("{v} 1", "rm"),
        ("./train-{v}", "../rm"),
        ("./{v}x", ".."),
        ("./t-{v}", "a b"),
        ("{v}", ""),
    ):
        with pytest.raises(ObjectiveError, match="choose the program"):
            Command(template).arguments({"v": value})


@pytest.mark.parametrize("template", [*PROGRAMS, *DATA])
def test_nothing_is_run_even_where_the_programs_are_real(template: str, tmp_path: Path) -> None:
    """What is accepted is started, if the program exists here: no file appears."""
    for value in ("$(touch x)", ";touch x", "system('touch x')", "`touch x`", "require('fs').writeFileSync('x','')"):
        try:
            words = Command(template).arguments({"v": value})
        except ObjectiveError:
            continue
        try:
            subprocess.run(words, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            continue
    assert not (tmp_path / "x").exists()
