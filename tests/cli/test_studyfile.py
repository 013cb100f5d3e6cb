"""Study files: what they may say, and what is said of those that say something else."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

import nonstop
from nonstop.cli.studyfile import Source, StudyFile, read_keys, study_file
from nonstop.errors import StudyFileError
from nonstop.wording import duration, seconds_of, share

SPACE = '\n[space.lr]\ntype = "float"\nlow = 1e-5\nhigh = 1e-1\nlog = true\n'
WHOLE = 'objective = "train:loss"\nn_trials = 20\n'


def read(folder: Path, text: str) -> StudyFile:
    path = folder / "study.toml"
    path.write_text(text)
    return study_file(read_keys(path))


def test_everything_it_may_say(tmp_path: Path) -> None:
    text = """
name = "demo"
storage = "sqlite:///runs.db"
command = "python train.py --lr {lr}"
shell = true
direction = "maximize"
rule = "logei"
surrogate = "paper"
seed = 7
initial = 4
noisy = true
workers = 8
n_trials = 200
timeout = "1h30m"
until = ["value 0.01", "no improvement in 50"]
lease = 30
trial_timeout = "90s"
max_failures = 3
engine = "dask"
address = "tcp://head:8786"
folder = "out"
keep_output = false
gpus = [0, "1,2"]
constraints = { memory = "<=8" }
where = ["lr < depth"]
fix = { loss = "l1" }
[space.lr]
type = "float"
low = 1e-5
high = 1e-1
log = true
[space.depth]
type = "int"
low = 1
high = 12
[space.loss]
type = "categorical"
choices = ["l1", "l2"]
"""
    study = read(tmp_path, text)
    space = nonstop.Space(
        {
            "lr": nonstop.Float(1e-5, 1e-1, log=True),
            "depth": nonstop.Int(1, 12),
            "loss": nonstop.Categorical(["l1", "l2"]),
        },
        where=["lr < depth"],
    )
    assert study == StudyFile(
        space=space, name="demo", command="python train.py --lr {lr}", shell=True,
        storage="sqlite:///runs.db", direction="maximize", rule="logei", surrogate="paper", seed=7,
        initial=4, noisy=True, workers=8, n_trials=200,
        timeout=5400.0, until=nonstop.Until(value=0.01, patience=50),
        lease=30.0, trial_timeout=90.0, max_failures=3, engine="dask", address="tcp://head:8786",
        folder="out", keep_output=False, gpus=("0", "1,2"), fix={"loss": "l1"},
        constraints={"memory": "<= 8.0"},
    )  # fmt: skip
    silent = {
        field.name for field in fields(study) if field.name != "default_name" and f"\n{field.name} = " not in text
    }
    assert silent == {"space", "objective", "objectives"}, "every other key stands in this test"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n_trial = 20", "study.toml: n_trial = 20: there is no such key; did you mean 'n_trials'?"),
        ("banana = 1", "study.toml: banana = 1: there is no such key; the keys are space, name, objective"),
        ('workers = "eight"', 'study.toml: workers = "eight": expected a number of workers from 1'),
        ("workers = 0", "workers = 0: expected"),
        ("where = 3", 'study.toml: where = 3: expected a list of constraints such as ["low < high"]'),
        ("where = [3]", "study.toml: where = [3]: expected a list of constraints"),
        ("workers = true", "workers = true: expected"),
        ("n_trials = 1.5", "n_trials = 1.5: expected a number of trials from 1"),
        ('timeout = "soon"', 'timeout = "soon": expected a duration: seconds, or a text such as "90s"'),
        ("lease = -1", "lease = -1: expected a duration"),
        ('trial_timeout = ""', 'trial_timeout = "": expected a duration'),
        ("lease = nan", "lease = NaN: expected a duration"),
        ('direction = "down"', 'direction = "down": expected "minimize" or "maximize"'),
        ('rule = "best"', "rule = \"best\": unknown rule 'best': use one of ucb, logei"),
        ("rule = 3", "rule = 3: expected the name of a rule"),
        ('surrogate = "best"', "surrogate = \"best\": unknown surrogate 'best': use one of nonstop, paper"),
        ("surrogate = 3", "surrogate = 3: expected the name of a surrogate"),
        ('objective = "train.py"', 'objective = "train.py": expected module:function'),
        ('objective = "os:system(1)"', "expected module:function"),
        ('command = "echo \'"', "expected a shell command"),
        ("seed = -1", "seed = -1: expected a whole number from 0"),
        ('noisy = "yes"', 'noisy = "yes": expected true or false'),
        ('engine = "spark"', 'engine = "spark": expected one of local, dask, ray'),
        ('name = ""', 'name = "": expected the name of the study'),
        ("max_failures = 0", "max_failures = 0: expected a number of failures from 1"),
        ("name = 2020-01-01", "name = 2020-01-01: expected the name of the study"),
        ("space = 3", "study.toml: got 3, expected a mapping"),
        ('[space.lr]\ntype = "flot"', "study.toml: parameter 'lr': got the type 'flot', expected one of"),
        ('[space.lr]\ntype = "int"\nlow = 0', "parameter 'lr': the key 'high' is missing"),
        ("name = 1 1", "study.toml: this is not TOML: Expected newline"),
    ],
)
def test_a_bad_key_is_named_with_its_value_and_what_would_do(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(StudyFileError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (WHOLE, "there are no parameters: give a table [space.NAME] or --param"),
        ("n_trials = 3" + SPACE, "expected one of objective = "),
        (WHOLE + 'command = "ls"' + SPACE, "got both"),
        ('objective = "a:b"' + SPACE, "there is no budget: give n_trials or timeout"),
        (WHOLE + 'address = "tcp://x"' + SPACE, "address = 'tcp://x' needs engine"),
    ],
)
def test_what_is_missing_or_contradictory(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(StudyFileError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(StudyFileError, match=r"absent.toml: cannot be read: No such file"):
        read_keys(tmp_path / "absent.toml")


def test_an_option_is_named_as_it_was_typed() -> None:
    with pytest.raises(StudyFileError, match="--n-trials 0: expected a number of trials from 1"):
        Source().checked({"n_trials": 0})


def test_a_bad_storage_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(StudyFileError, match=r"study.toml: storage: expected a URL") as caught:
        read(tmp_path, 'storage = "postgresql:me:geheim@host"')
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ('objective = "train:loss"', "loss"),
        ('command = "python3 -u models/train.py --lr {lr}"', "train"),
        ('command = "./go {lr}"', "go"),
        ('command = "sh -c {lr}.sh"', "sh"),
    ],
)
def test_the_same_words_find_the_same_study(tmp_path: Path, what: str, name: str) -> None:
    assert read(tmp_path, f"{what}\nn_trials = 3{SPACE}").name == name


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90.0), ("90", 90.0), ("2h", 7200.0), ("1h30m", 5400.0), ("1d 2h", 93600.0), ("0.5m", 30.0), (3, 3.0),
     (2.5, 2.5), ("", None), ("soon", None), ("1.2.3s", None), ("-3s", None), ("0s", None), (0, None), (True, None),
     (float("inf"), None), (None, None), ("3m2h", None)],
)  # fmt: skip
def test_durations(text: object, seconds: float | None) -> None:
    assert seconds_of(text) == seconds


def test_durations_are_shown_short() -> None:
    shown = [duration(seconds) for seconds in (0.04, 9.96, 59.6, 185.0, 3599.7, 7650.0, 86400.0 * 3)]
    assert shown == ["0.0 s", "10 s", "1m 00s", "3m 05s", "1h 00m", "2h 07m", "3d 00h"]


def test_a_share_is_all_only_if_it_is_all() -> None:
    assert [share(part) for part in (1.0, 0.9999, 0.5, 0.0, 1.2)] == ["100.0 %", "99.9 %", "50.0 %", "0.0 %", "100.0 %"]


def test_a_shell_needs_a_command(tmp_path: Path) -> None:
    with pytest.raises(StudyFileError, match="shell = true needs command"):
        read(tmp_path, 'objective = "a:b"\nshell = true\nn_trials = 1\nspace.x = {type = "int", low = 1, high = 2}')


def test_a_constraint_is_pointed_at(tmp_path: Path) -> None:
    with pytest.raises(StudyFileError) as caught:
        read(
            tmp_path,
            'objective = "m:f"\nn_trials = 3\nwhere = ["x =< 1"]\n[space.x]\ntype = "int"\nlow = 0\nhigh = 1\n',
        )
    end = "study.toml: constraint 'x =< 1': cannot read '=': write == to compare\n    x =< 1\n      ^"
    assert str(caught.value).endswith(end)
    text = 'objective = "m:f"\nn_trials = 3\n[space]\nwhere = "x < 1"\nx = { type = "int", low = 0, high = 1 }\n'
    assert read(tmp_path, text).space.where == ("x < 1",)
    assert read(tmp_path, f'where = ["x >= 0"]\n{text}').space.where == ("x < 1", "x >= 0")
