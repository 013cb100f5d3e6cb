"""What is shipped: one version, a short list of dependencies, two distributions, and the platforms they run on."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

import nonstop
from nonstop.cli.app import app

ROOT = Path(__file__).parents[1]
CORE = {"numpy", "scipy", "sqlalchemy", "rich", "click", "threadpoolctl"}
#: What the extras bring, by the name it is imported by.
OPTIONAL = {"pandas", "plotly", "starlette", "uvicorn", "pysqlite3", "psycopg", "cloudpickle", "distributed", "ray"}
OPTIONAL |= {"hydra", "omegaconf", "optuna"}

#: Rooms that are imported by those who asked for a figure or a page, or who have the host.
SHOWING = ("nonstop.plots", "nonstop.pages.", "nonstop.report", "nonstop.dashboard.", "nonstop.integrations.")


def project(folder: str = ".") -> dict[str, Any]:
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))


def script(name: str, folder: str = ".ci") -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(code: str, folder: Path) -> str:
    """What a fresh interpreter prints that runs the code, with warnings as errors."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_version_is_in_one_place() -> None:
    files = [ROOT / "pyproject.toml", ROOT / "bench" / "pyproject.toml", *sorted((ROOT / "src").rglob("*.py"))]
    found = [
        path for path in files if re.search(r"^(__)?version(__)? *= *[\"']", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert [path.relative_to(ROOT).as_posix() for path in found] == ["src/nonstop/__init__.py"]
    for folder in (".", "bench"):
        assert "version" in project(folder)["project"]["dynamic"]
        path = project(folder)["tool"]["hatch"]["version"]["path"]
        assert (ROOT / folder / path).resolve() == ROOT / "src" / "nonstop" / "__init__.py"


def test_the_command_tells_the_version() -> None:
    assert CliRunner().invoke(app, ["--version"]).output == f"nonstop {nonstop.__version__}\n"


def test_the_changelog_knows_the_version() -> None:
    headings = re.findall(
        r"^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M
    )
    assert headings[0] == ("Unreleased", "")
    assert nonstop.__version__ in [version for version, day in headings if day]


def test_the_core_needs_six_packages() -> None:
    required = project()["project"]["dependencies"]
    assert {re.split(r"[^a-z0-9_-]", line, maxsplit=1)[0] for line in required} == CORE
    assert len(required) == len(CORE)


def test_each_distribution_has_its_own_package_and_script() -> None:
    core, bench = project(), project("bench")
    assert core["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["src/nonstop", "src/hydra_plugins"]
    assert set(core["project"]["scripts"]) == {"nonstop"}
    assert set(bench["project"]["scripts"]) == {"nonstop-bench"}
    assert not set(core["project"]["optional-dependencies"]) & set(bench["project"]["optional-dependencies"])
    assert bench["project"]["requires-python"] == core["project"]["requires-python"]
    assert (ROOT / "bench" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_extras_are_imported_when_they_are_used(tmp_path: Path) -> None:
    """Where only the core is installed, every module can be imported but those that draw figures and serve pages."""
    loaded = run(
        "import pkgutil, sys\n"
        f"for name in {sorted(OPTIONAL)}: sys.modules[name] = None\n"
        "import nonstop\n"
        "for module in pkgutil.walk_packages(nonstop.__path__, 'nonstop.'):\n"
        "    try: __import__(module.name)\n"
        "    except ImportError as error: print(module.name, '|', error)\n",
        tmp_path,
    )
    missing = {line.split(" | ")[0] for line in loaded.splitlines()}
    assert {name for name in missing if not name.startswith(SHOWING)} == set(), loaded


def test_lowest_versions_come_from_the_lower_bounds() -> None:
    lowest = script("lowest").lowest
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert lowest(text) == [line.replace(">=", "==") for line in project()["project"]["dependencies"]]
    assert lowest('[project]\ndependencies = ["numpy >= 1.26", "scipy>=1.11.1"]') == ["numpy==1.26", "scipy==1.11.1"]


@pytest.mark.parametrize("requirement", ["numpy", "numpy>1.26", "numpy>=1.26,<3", "numpy>=1.26; python_version<'3.13'"])
def test_a_bound_that_cannot_be_tested_is_refused(requirement: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(requirement))):
        script("lowest").lowest(f'[project]\ndependencies = ["{requirement}"]')


@pytest.mark.parametrize(
    ("name", "strange"),
    [
        ("nonstop/propose.py", False),
        ("nonstop/dashboard/static/dashboard.js", False),
        ("nonstop-0.1.0.dist-info/METADATA", False),
        ("nonstop_bench/cli.py", True),
        ("tests/test_propose.py", True),
        ("nonstop/results.db", True),
    ],
)
def test_strangers_in_a_distribution_are_found(name: str, strange: bool, tmp_path: Path) -> None:
    wheel = tmp_path / "nonstop-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(name, "")
    assert script("contents").strangers(wheel) == ([name] if strange else [])


#: Takes away what Windows has not. Python's own modules and the dependencies were imported before, as those of Linux.
WINDOWS = """
import os, pkgutil, signal, sys
import concurrent.futures, multiprocessing.connection, sqlite3, subprocess
import nonstop

def every_module():
    for module in pkgutil.walk_packages(sys.modules["nonstop"].__path__, "nonstop."):
        if not module.name.startswith("nonstop.integrations."):  # their hosts may not be there
            __import__(module.name)

every_module()
for name in [name for name in sys.modules if name.partition(".")[0] == "nonstop"]:
    del sys.modules[name]
for name in ("fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
for name in ("fork", "forkpty", "getloadavg", "getpgid", "getuid", "geteuid", "killpg", "nice", "register_at_fork",
             "sched_getaffinity", "setpgid", "setsid", "sysconf", "uname", "wait3", "wait4"):
    if hasattr(os, name): delattr(os, name)
for name in ("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGSTOP", "SIGUSR1", "SIG_BLOCK", "SIG_SETMASK",
             "SIG_UNBLOCK", "ITIMER_REAL", "alarm", "pthread_kill", "pthread_sigmask", "setitimer", "sigwait"):
    if hasattr(signal, name): delattr(signal, name)
sys.platform = "win32"
import nonstop
every_module()
space = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})

def objective(params):
    return (params["x"] - 0.3) ** 2
"""


def test_on_windows_every_module_can_be_imported(tmp_path: Path) -> None:
    assert run(WINDOWS + "print(nonstop.propose([[0.2], [0.7]], [0.1, 0.4]).x.shape)", tmp_path) == "(1,)\n"


@pytest.mark.parametrize("storage", ["None", "'sqlite:///runs.db'"])
def test_on_windows_one_worker_runs_a_python_function(storage: str, tmp_path: Path) -> None:
    code = f"""
study = nonstop.create_study({storage}, name="demo", space=space, seed=0)
study.optimize(objective, n_trials=6)
print(len(study.trials))
"""
    assert run(WINDOWS + code, tmp_path) == "6\n"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("study.optimize(objective, n_trials=2, workers=2)", "StudyError: worker processes"),
        ("study.optimize(objective, n_trials=2, workers=Other())", "StudyError: worker processes"),
        ("nonstop.Command('train --lr {x}')", "ObjectiveError: commands"),
    ],
)
def test_on_windows_what_needs_processes_says_so(call: str, message: str, tmp_path: Path) -> None:
    code = f"""
class Other(concurrent.futures.Executor):
    _max_workers = 2

study = nonstop.create_study("sqlite:///runs.db", name="demo", space=space, seed=0)
try:
    {call}
except nonstop.NonstopError as error:
    print(f"{{type(error).__name__}}: {{error}}")
"""
    rest = " need Linux or macOS; on Windows use workers=1 with a Python objective, or WSL\n"
    assert run(WINDOWS + code, tmp_path) == message + rest


def test_on_windows_threads_of_an_executor_work(tmp_path: Path) -> None:
    code = """
study = nonstop.create_study(space=space, seed=0)
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    study.optimize(objective, n_trials=6, workers=pool)
print(len(study.trials))
"""
    assert run(WINDOWS + code, tmp_path) == "6\n"
