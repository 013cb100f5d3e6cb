"""Commands that a shell runs: values arrive as one argument each, unchanged, and nothing of them is executed."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import nonstop
from nonstop import Categorical, Command, Float, ObjectiveError, Space
from nonstop.workers.script import placeholders, shell_arguments
from nonstop.workers.stored import described, is_same, objective_from, stored_text

#: Whatever an argument can hold: no NUL, and nothing that cannot be encoded.
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
EVIL = [
    "$(touch pwned)",
    "`touch pwned`",
    "'; touch pwned; '",
    '"; touch pwned; "',
    "\ntouch pwned\n",
    "${HOME}",
    "* ?",
    "-n",
    "\\",
    "a  b\t",
    "{x}",
    "}}",
    "!!",
    "~",
    "",
]
#: Each prints its arguments, each with a \1 behind it: (script, what is printed for the value of x).
PRINT = "printf '%s\\001'"
SCRIPTS = [
    (f"{PRINT} {{x}}", "{}\1"),
    (f'{PRINT} "{{x}}"', "{}\1"),
    (f"{PRINT} '{{x}}'", "{}\1"),
    (f"{PRINT} --a={{x}} b", "--a={}\1b\1"),
    (f"{PRINT} {{x}}{{x}}", "{0}{0}\1"),
    (f"{PRINT} a {{x}} | cat", "a\1{}\1"),
    (f"true && ( {PRINT} {{x}} ) 2>/dev/null || false", "{}\1"),
    (f'value={{x}}; set -- other; {PRINT} "$value"', "{}\1"),
    (f"# {{x}} is a comment\n{PRINT} {{x}}", "{}\1"),
    (f"f() {{{{ {PRINT} {{x}}; }}}}; f other", "{}\1"),
    (f'for word in {{x}}; do {PRINT} "${{word}}"; done', "{}\1"),
]


def printed(script: str, value: str, folder: str | Path) -> str:
    arguments = shell_arguments(script, {"x": value})
    done = subprocess.run(arguments, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


@pytest.mark.parametrize(("script", "promised"), SCRIPTS)
@pytest.mark.parametrize("value", EVIL)
def test_every_value_arrives_as_one_argument(script: str, promised: str, value: str, tmp_path: Path) -> None:
    assert printed(script, value, tmp_path) == promised.format(value)
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=60, deadline=None)
@given(value=TEXT, case=st.sampled_from(SCRIPTS))
@example(value="$(touch pwned)\n'\"", case=SCRIPTS[1])
def test_any_text_arrives_as_one_argument(value: str, case: tuple[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert printed(case[0], value, folder) == case[1].format(value)
        assert list(Path(folder).iterdir()) == []


@given(template=TEXT, value=st.sampled_from(EVIL))
@example(template='"$({x})"', value="touch pwned")
@example(template="eval {x}", value="touch pwned")
@example(template="sh -c {x}", value="touch pwned")
@example(template="`{x}`", value="touch pwned")
@example(template="cat <<EOF\n{x}\nEOF", value="$(touch pwned)")
@example(template="$(( {x} ))", value="a[$(touch pwned)]")
@example(template="# don't\n{x}", value="touch pwned")
def test_no_value_stands_in_the_script_whatever_the_template(template: str, value: str) -> None:
    """Not run, as the template may be any program: the text of the script does not depend on the value."""
    try:
        arguments = shell_arguments(template, dict.fromkeys(placeholders(template), value))
    except ObjectiveError:
        return
    other = dict.fromkeys(placeholders(template), "harmless")
    assert arguments[:4] == shell_arguments(template, other)[:4]


@pytest.mark.parametrize(
    "script",
    [
        "sh -c 'train {x}'",
        'sh -c "train {x}" | tail -n 1',
        "cd run && eval {x}",
        "ssh host train {x}; true",
        "if true; then bash -c {x}; fi",
        "echo a | xargs -I A sh -c {x}",
        'echo "$(train {x})"',
        "{x} --help",
        "a=1 sh -c {x}",
        "echo {x} | sh",
        "echo {x} | bash -s now",
        "cat data | if true; then python -; fi <<< {x}",
        "cat data | python -c 'print({x})'",
    ],
)
def test_a_text_is_never_a_part_of_a_program_that_the_script_calls(script: str) -> None:
    command = Command(script, shell=True)
    with pytest.raises(ObjectiveError, match="may not"):
        command.check(Space({"x": Categorical(["reboot", "$(reboot)"])}))
    with pytest.raises(ObjectiveError, match="may not"):
        command.arguments({"x": "reboot"})
    if not script.startswith("{x}"):
        command.check(Space({"x": Float(0.0, 1.0)}))


def test_a_variable_that_decides_what_is_run_is_no_place_for_a_text() -> None:
    with pytest.raises(ObjectiveError, match="may not choose the program"):
        Command("PATH={x} train", shell=True).check(Space({"x": Categorical(["/tmp/evil"])}))


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo `date {x}`", "backticks"),
        ("echo $(( {x} + 1 ))", "arithmetic"),
        ("cat <<EOF\n{x}\nEOF", "here-document"),
        ("awk '{print $1}' {", "single brace"),
        ("echo 'open", "quot"),
        ('echo "$(date" {x}', "close|quot"),
        ("echo $'a' {x}", "only some shells"),
        ("", "empty"),
    ],
)
def test_what_cannot_be_understood_is_refused_before_the_first_trial(script: str, said: str) -> None:
    with pytest.raises(ObjectiveError, match=said):
        Command(script, shell=True).check(Space({"x": Float(0.0, 1.0)}))


def test_an_unknown_placeholder_is_named_and_variables_are_left_alone() -> None:
    space = Space({"x": Float(0.0, 1.0)})
    Command('echo "${HOME}" {x} | awk "{{print \\$1}}"', shell=True).check(space)
    with pytest.raises(ObjectiveError, match=r"a placeholder \{y\}"):
        Command("echo {y}", shell=True).check(space)


def test_pipes_work_in_a_study(tmp_path: Path) -> None:
    space = Space({"x": Float(0.0, 1.0), "kind": Categorical(["it's", "$(touch pwned)"])})
    command = Command("echo noise {kind} >&2; echo {x} | cat | tail -n 1", shell=True)
    study = nonstop.create_study(space=space, seed=0)
    study.optimize(command, n_trials=4, folder=tmp_path)
    assert all(trial.value == trial.params["x"] for trial in study.trials)


def test_a_script_that_fails_says_why() -> None:
    with pytest.raises(ObjectiveError, match="exit code 3; stderr: no data"):
        Command("echo no data >&2; echo {x} | (cat; exit 3)", shell=True)({"x": 1.0})


def test_without_shell_nothing_changed() -> None:
    assert Command("echo {x} | cat").arguments({"x": 0.5}) == ["echo", "0.5", "|", "cat"]
    with pytest.raises(ObjectiveError, match="the command's shell must be True or False"):
        Command("echo {x}", shell="yes")  # type: ignore[arg-type]


def test_a_study_remembers_that_it_is_a_script() -> None:
    command = Command("train {x} | tail -n 1", shell=True)
    stored = stored_text(command)
    assert stored == "shell train {x} | tail -n 1"
    assert objective_from(stored) == command
    assert described(stored) == "the shell command `train {x} | tail -n 1`"
    assert not is_same(stored, "command train {x} | tail -n 1")
    assert not is_same("shell echo '$x'", 'shell echo "$x"')
