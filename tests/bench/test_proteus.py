"""The adapter to PROTEUS: with a stand-in for the program, and once with the program itself where it is installed."""

from __future__ import annotations

import importlib
import json
import math
import os
import shlex
import stat
import sys
import textwrap
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import nonstop
from nonstop.cli.studyfile import read_keys
from nonstop_bench.problems import proteus_run
from nonstop_bench.problems.proteus import OBSERVED, TRUTH, misfit, proteus
from nonstop_bench.problems.proteus_config import FIXED, INPUTS, SPACE, configuration
from nonstop_bench.problems.proteus_run import environment, last_row, run, status_of

ROOT = Path(__file__).parents[2]
#: A point at which PROTEUS was run by others, and what came out.
ELSEWHERE = {
    "mass": 1.0,
    "core": 0.55,
    "axis": 0.5,
    "redox": 2.0,
    "hydrogen": 5e3,
    "carbon": 1.0,
    "sulfur": 0.5,
    "gamma": 0.7,
    "escape": 1e6,
}
FOUND_ELSEWHERE = {"R_obs": 6.47008e6, "M_planet": 6.06853e24, "P_surf": 19625.8, "H2O_vmr": 0.61216}


def setting(config: dict[str, object], key: str) -> object:
    value: object = config
    for part in key.split("."):
        assert isinstance(value, dict)
        value = value[part]
    return value


# The configuration


def test_a_configuration_holds_every_setting_and_the_point(tmp_path: Path) -> None:
    config = tomllib.loads(configuration(TRUTH, tmp_path / 'né "w'))
    assert {key: setting(config, key) for key in FIXED} == dict(FIXED)
    assert {name: setting(config, key) for name, key in INPUTS.items()} == dict(TRUTH)
    assert setting(config, "params.out.path") == str(tmp_path / 'né "w')


def test_no_input_is_fixed_too() -> None:
    assert set(INPUTS) == set(SPACE) == set(TRUTH)
    assert not set(INPUTS.values()) & set(FIXED)


def test_a_point_outside_the_bounds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(nonstop.ParamsError, match="core"):
        configuration({**TRUTH, "core": 0.9}, tmp_path)


def test_the_study_file_of_the_example_searches_the_same_space() -> None:
    assert read_keys(ROOT / "examples" / "proteus" / "study.toml")["space"] == SPACE


# The results


def test_the_last_row_of_the_table() -> None:
    text = "Time   P_surf\tH2O_vmr\n0.0 1.0 0.5\n1.0000000000e+09  1.9625808725e+04 6.1e-01\n\n"
    assert last_row(text) == {"Time": 1e9, "P_surf": 19625.808725, "H2O_vmr": 0.61}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "without a row"),
        ("Time P_surf\n", "without a row"),
        ("Time P_surf\n1.0\n", "2 columns with a last row of 1"),
        ("Time P_surf\n1.0 x\n", "cannot be read.*'x'"),
    ],
)
def test_a_broken_table_is_an_error(text: str, said: str) -> None:
    with pytest.raises(nonstop.ObjectiveError, match=said):
        last_row(text)


def test_the_status() -> None:
    assert status_of("13\nCompleted (target time)\n") == 13
    for broken in ("", "soon\n13\n", "-1"):
        with pytest.raises(nonstop.ObjectiveError, match="no number"):
            status_of(broken)


# The misfit

SMALL = {"R_obs": 200.0, "P_surf": 1e4, "CO2_vmr": 1e-2, "H2O_vmr": 0.1}


def test_the_misfit_by_hand() -> None:
    # 1 - 250/200 = -1/4; log10: 1 - 3/4 = 1/4; 1 - 3/2 = -1/2; exact.
    row = {"R_obs": 250.0, "P_surf": 1e3, "CO2_vmr": 1e-3, "H2O_vmr": 0.1, "unused": math.nan}
    assert misfit(row, SMALL) == pytest.approx(1 / 16 + 1 / 16 + 1 / 4, rel=1e-12)


def test_the_misfit_is_zero_at_the_truth_alone() -> None:
    assert misfit(OBSERVED) == 0.0
    for name, value in OBSERVED.items():
        assert 0.0 < misfit({**OBSERVED, name: value * 1.1}) < 0.5


def test_pressures_ratios_and_molar_mass_are_compared_in_log10() -> None:
    for name in ("P_surf", "H2O_bar", "CO_vmr", "atm_kg_per_mol"):
        assert misfit({name: 1e-4}, {name: 1e-3}) == pytest.approx(1 / 9, rel=1e-12)
    for name in ("R_obs", "M_planet", "T_surf", "T_eqm"):
        assert misfit({name: 1e-4}, {name: 1e-3}) == pytest.approx(0.81, rel=1e-12)


@pytest.mark.parametrize("value", [0.0, 1e-30, -1.0, math.inf, math.nan])
def test_no_observable_counts_more_than_one(value: float) -> None:
    # 1 - (-20)/(-1) is -19: without the bound, one absent gas would count 361.
    assert misfit({**SMALL, "H2O_vmr": value}, SMALL) == 1.0


def test_a_planet_without_an_atmosphere_has_a_finite_misfit() -> None:
    # The ratios are left over from before the atmosphere escaped, and look perfect.
    assert misfit({**SMALL, "P_surf": 0.0}, SMALL) == 3.0
    assert misfit({**SMALL, "P_surf": 1e-15, "R_obs": 100.0}, SMALL) == 3.25
    assert misfit({**dict.fromkeys(OBSERVED, 0.0)}) == len(OBSERVED)


def test_a_table_without_an_observable_is_an_error() -> None:
    with pytest.raises(nonstop.ObjectiveError, match=r"without P_surf, CO2_vmr$"):
        misfit({"R_obs": 1.0, "H2O_vmr": 0.1}, SMALL)


# The program, played by a script

OBEDIENT = """
    table = {observed!r}
    output.mkdir()
    (output / "status").write_text("13\\nCompleted (target time)\\n")
    (output / "runtime_helpfile.csv").write_text(" ".join(table) + "\\n" + " ".join(map(repr, table.values())) + "\\n")
"""


def play(monkeypatch: pytest.MonkeyPatch, folder: Path, body: str) -> None:
    """Make an environment whose `proteus` is this script, and name it in the variable."""
    program = folder / "bin" / "proteus"
    program.parent.mkdir(parents=True)
    head = f"""\
        #!{sys.executable} -I
        import os, sys, time, tomllib
        from pathlib import Path
        command, option, path, offline = sys.argv[1:]
        config = tomllib.loads(Path(path).read_text())
        output = Path(config["params"]["out"]["path"])
    """
    program.write_text(textwrap.dedent(head) + textwrap.dedent(body))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv(proteus_run.VARIABLE, str(folder))


def test_a_task_of_nine_inputs_runs_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    task = proteus()
    play(monkeypatch, tmp_path, OBEDIENT.format(observed=dict(OBSERVED)))
    assert (task.name, task.dim, task.optimum) == ("proteus", 9, 0.0)
    assert task.objective(TRUTH) == 0.0


def test_a_run_is_by_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A fresh folder that is gone afterwards, one thread, the stubs on the path, the point in the configuration."""
    body = (
        f"Path({str(tmp_path / 'seen')!r}).write_text('\\n'.join([command, option, offline, os.getcwd(), "
        "os.environ['OMP_NUM_THREADS'], os.environ['PYTHONPATH'], str(os.listdir(os.environ['FWL_DATA'])), "
        "str(config['planet']['mass_tot'])]))"
    )
    play(monkeypatch, tmp_path / "env", body + textwrap.dedent(OBEDIENT.format(observed=SMALL)))
    assert run(TRUTH) == proteus_run.Result(13, SMALL)
    command, option, offline, folder, threads, path, data, mass = (tmp_path / "seen").read_text().splitlines()
    assert (command, option, offline, threads, data, mass) == ("start", "-c", "--offline", "1", "[]", "1.6")
    assert path == str(tmp_path / "env" / "stubs")
    assert not Path(folder).exists()


def test_without_the_environment_the_error_names_the_target(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(proteus_run.VARIABLE, str(tmp_path))
    with pytest.raises(nonstop.ObjectiveError, match=r"NONSTOP_PROTEUS names .*make proteus-env"):
        run(TRUTH)
    monkeypatch.delenv(proteus_run.VARIABLE)
    monkeypatch.setattr(proteus_run, "__file__", str(tmp_path / "src" / "nonstop_bench" / "problems" / "x.py"))
    with pytest.raises(nonstop.ObjectiveError, match=r"there is no \.venv-proteus; `make proteus-env`"):
        environment()


def test_a_failed_run_repeats_the_end_of_the_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    body = """
    for line in range(100):
        print("line", line, flush=True)
    print("\\x1b[91mno chemistry\\x1b[0m in", sys.argv[0], file=sys.stderr)
    sys.exit(3)
    """
    play(monkeypatch, tmp_path, body)
    with pytest.raises(nonstop.ObjectiveError) as caught:
        run(TRUTH)
    assert str(caught.value).startswith("PROTEUS failed: exit status 3\n  line 89\n")
    assert str(caught.value).endswith(f"\n  line 99\n  no chemistry in {tmp_path.name}/bin/proteus")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("os.kill(os.getpid(), 9)", r"killed by signal 9 \(Killed\)"),
        ("pass", "ended without status"),
        ("output.mkdir(); (output / 'status').write_text('13')", "ended without runtime_helpfile.csv"),
        (textwrap.dedent(OBEDIENT.format(observed=SMALL)).replace("13", "22"), "did not complete: status 22"),
        (textwrap.dedent(OBEDIENT.format(observed=SMALL)).replace("13", "1"), "did not complete: status 1$"),
    ],
)
def test_a_run_that_did_not_complete_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str, said: str
) -> None:
    play(monkeypatch, tmp_path, body)
    with pytest.raises(nonstop.ObjectiveError, match=said):
        run(TRUTH)


def test_a_run_that_takes_too_long_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play(monkeypatch, tmp_path, "pass")
    script = f"#!/bin/sh\necho thinking\necho $$ > {shlex.quote(str(tmp_path / 'pid'))}\nexec sleep 60\n"
    (tmp_path / "bin" / "proteus").write_text(script)
    with pytest.raises(nonstop.ObjectiveError, match=r"stopped after 2 s\n  thinking$"):
        run(TRUTH, time_limit=2.0)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_program_that_cannot_be_started_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play(monkeypatch, tmp_path, "pass")
    (tmp_path / "bin" / "proteus").write_text("#!/nowhere/python\n")
    with pytest.raises(nonstop.ObjectiveError, match="cannot be started"):
        run(TRUTH)


# The figure


def trial(started: float, finished: float, value: float, order: int, worker: str, rung: str) -> str:
    state = {"state": "completed", "worker": worker, "diagnostics": {"rung": rung}, "order": order, "value": value}
    return json.dumps({**state, "started_at": 1e9 + started, "finished_at": 1e9 + finished}) + "\n"


def test_the_figure_and_the_table_of_the_example(tmp_path: Path) -> None:
    figure = importlib.import_module("examples.proteus.figure")
    lines = [
        trial(0.0, 60.0, 3.0, 1, "a", "quasi-random"),
        trial(60.0, 120.0, 0.25, 3, "a", "model"),
        trial(0.0, 90.0, 4.0, 2, "b", "quasi-random"),
        trial(90.0, 105.0, math.nan, 0, "b", "model").replace("completed", "failed"),
    ]
    for rule in ("ucb", "random"):
        (tmp_path / f"{rule}.jsonl").write_text("".join(lines))
    run = figure.read(tmp_path / "ucb.jsonl")
    assert run.best.tolist() == [3.0, 3.0, 0.25]
    assert run.seconds.tolist() == pytest.approx([60.0, 90.0, 60.0])
    figure.main(tmp_path)
    assert (tmp_path / "regret.png").stat().st_size > 10_000
    assert "| ucb | 3 | 1 | 0.25 | 3 (of 2) | 70 (60, 90) | 2.0 | 93.8% |" in (tmp_path / "summary.md").read_text()


# The program itself


def installed() -> bool:
    try:
        environment()
    except nonstop.ObjectiveError:
        return False
    return True


@pytest.mark.timeout(1800)  # ten to twenty seconds on cores of their own, minutes on a busy machine
@pytest.mark.skipif(not installed(), reason="PROTEUS is not installed: make proteus-env")
def test_the_real_program_gives_the_recorded_numbers() -> None:
    """Two runs at a time: each as if it were alone."""
    with ThreadPoolExecutor(2) as pool:
        elsewhere, truth = pool.map(run, (ELSEWHERE, TRUTH))
    assert elsewhere.status == truth.status == 13
    assert {name: elsewhere.row[name] for name in FOUND_ELSEWHERE} == pytest.approx(FOUND_ELSEWHERE, rel=1e-5)
    assert {name: truth.row[name] for name in OBSERVED} == pytest.approx(dict(OBSERVED), rel=1e-6)
    assert misfit(truth.row) < 1e-10
    assert misfit(elsewhere.row) > 0.1
