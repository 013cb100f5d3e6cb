"""The order of the files: each imports only from those above it, so that the package reads from top to bottom."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"

#: Every module of the package, in the order in which to read them: room by room. A new file takes its place here.
# fmt: off
ORDER = [
    "errors",
    "clock",
    "types",
    "wording",
    "markup",
    "arguments",
    "space.steps", "space.ranges", "space.choices", "space.parameters", "space.leaves", "space.expression",
    "space.parser", "space.kinds", "space.constraint", "space.decision", "space.space", "space", "space.axes",
    "space.cube", "space.holding", "space.columns", "space.layout", "space.region", "space.embedding",
    "space.encoding", "space.partial",
    "numerics", "numerics.linalg", "numerics.descent", "numerics.normal", "numerics.quasirandom", "numerics.seeds",
    "numerics.threads", "numerics.smallest", "numerics.hypervolume", "numerics.cells", "numerics.ehvi",
    "outcomes", "outcomes.bound", "outcomes.goals",
    "surrogate", "surrogate.kernels", "surrogate.kernels.distances", "surrogate.kernels.kernel",
    "surrogate.kernels.rbf", "surrogate.kernels.matern52", "surrogate.kernels.names", "surrogate.output",
    "surrogate.model", "surrogate.hyperparameters", "surrogate.likelihood", "surrogate.thinning", "surrogate.fit",
    "surrogate.gp", "surrogate.fitted", "surrogate.sketch", "surrogate.scalarized", "surrogate.paths",
    "surrogate.steepness", "surrogate.probit", "surrogate.success",
    "acquisition", "acquisition.aim", "acquisition.inside", "acquisition.branches", "acquisition.rule",
    "acquisition.border", "acquisition.maximize",
    "acquisition.schedule", "acquisition.standard", "acquisition.scored", "acquisition.believer",
    "acquisition.adaptive", "acquisition.initial",
    "acquisition.expected", "acquisition.thompson",
    "acquisition.penalized", "acquisition.feasible", "acquisition.pareto", "acquisition.aegis", "acquisition.ehvi",
    "acquisition.turns", "acquisition.rules",
    "acquisition.taken", "acquisition.data", "acquisition.sought", "acquisition.closeup",
    "propose",
    "trials", "trials.diagnostics", "trials.trial", "trials.times", "trials.messages", "trials.transitions",
    "trials.copying", "trials.retries", "trials.telling", "trials.rows", "trials.best", "trials.until",
    "trials.spec", "trials.card", "trials.mirror", "trials.suggest", "trials.replay",
    "storage.contract", "storage.text", "storage.ledger", "storage.transactions", "storage.memory", "storage.retry",
    "storage.watchdog", "storage.forking",
    "storage.schema", "storage.statement", "storage.rows", "storage.sqlite", "storage.postgres", "storage.database",
    "storage.sqlledger", "storage.sql", "storage.names", "storage.schemes", "storage.copies", "storage.session",
    "storage", "workers",
    "workers.usage", "workers.stopping", "workers.template", "workers.script", "workers.guard", "workers.environment",
    "workers.notes",
    "workers.folders", "workers.running", "workers.output", "workers.command", "workers.calling",
    "workers.objective", "workers.stored", "workers.deadline", "workers.parent", "workers.held", "workers.lease",
    "workers.pacemaker", "workers.unsent", "workers.reach", "workers.worker",
    "history.scale", "history.window", "history.view", "history.progress", "history.lanes", "history.queries",
    "history.relevance", "history.posterior", "history.cuts", "history.coordinates", "history.listing",
    "history.calibration", "history.front", "history.volume", "history.feasibility", "history.pace", "history.board",
    "history.frame", "history",
    "plots.plotly", "plots.words", "plots.style", "plots.values", "plots.progress", "plots.lanes", "plots.queries",
    "plots.relevance", "plots.cuts", "plots.coordinates", "plots.calibration", "plots.front", "plots.volume",
    "plots.feasibility", "plots.captions", "plots.image", "plots",
    "engines", "engines.supervision", "engines.transfer", "engines.names", "engines.process", "engines.processes",
    "engines.local", "engines.executor", "engines.dask", "engines.ray", "engines.choose",
    "live", "live.words", "live.monitor", "live.panel", "live.notebook", "live.log", "live.ending", "live.callbacks",
    "live.attend",
    "study",
    "studies", "files", "files.cells", "files.writing", "files.reading", "files.importing", "files.conditions",
    "files.optuna", "integrations",
    "integrations.sklearn_private", "integrations.sklearn_candidates", "integrations.sklearn",
    "integrations.hydra_options", "integrations.hydra_space", "integrations.hydra_jobs", "integrations.hydra",
    "integrations.study_json", "integrations.ray_space", "integrations.ray", "integrations.optuna_trials",
    "integrations.optuna", "integrations.gest_vocs", "integrations.gest", "integrations.slurm",
    "pages", "pages.html", "pages.results", "pages.trials", "pages.figures",
    "report",
    "dashboard", "dashboard.reader", "dashboard.status", "dashboard.rows", "dashboard.throttled", "dashboard.feed",
    "dashboard.watch", "dashboard.overview", "dashboard.parallel", "dashboard.figures", "dashboard.events",
    "dashboard.security", "dashboard.guard", "dashboard.connection", "dashboard.streams", "dashboard.server",
    "cli", "cli.terminal", "cli.devices", "cli.goals", "cli.studyfile", "cli.output", "cli.target", "cli.complete",
    "cli.parameters", "cli.fix", "cli.options", "cli.leaders", "cli.study_summary", "cli.identity", "cli.run_summary",
    "cli.capture", "cli.running", "cli.run", "cli.agreed", "cli.worker", "cli.create", "cli.slurm", "cli.asking",
    "cli.managing", "cli.importing", "cli.inspect", "cli.export",
    "cli.replay", "cli.report", "cli.dashboard", "cli.completion", "cli.app",
]
# fmt: on
#: What may stand at the top level besides the rooms.
TOP = {"errors", "clock", "types", "wording", "markup", "arguments", "propose", "study", "studies", "report"}
#: These packages offer names of their modules; the others stay empty, so that nothing is imported by accident.
FACADES = {"nonstop", "nonstop.space", "nonstop.storage", "nonstop.history", "nonstop.plots"}
#: `import nonstop` must stay light: a worker pays for it in time and memory.
HEAVY = {"torch", "jax", "pandas", "scipy.stats", "scipy.optimize", "sqlalchemy", "rich", "click", "plotly"}
HEAVY |= {"starlette", "uvicorn"}
#: Stored data must never be able to run code.
UNSAFE_MODULES = {"pickle", "dill", "cloudpickle", "marshal", "shelve", "joblib"}
#: What may be imported all the same. It carries objectives from a process to the ones it starts, and never touches a
#: storage; scikit-learn's searches run on joblib.
CARRIERS = {
    "nonstop.engines.transfer": {"cloudpickle"},
    "hydra_plugins._nonstop_job": {"cloudpickle"},
    "nonstop.integrations.sklearn_private": {"joblib"},
}
UNSAFE_CALLS = {"eval", "exec"}
LONGEST_FILE = 400


def module_name(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted(SRC.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()}
PLACES = {f"nonstop.{name}": place for place, name in enumerate(ORDER)} | {"nonstop": len(ORDER)}


def imports(name: str) -> Iterator[str]:
    """The modules that a module names in imports, anywhere in it: in functions and under TYPE_CHECKING too."""
    package = name if FILES[name].name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:  # `from package import x`: x may be a module, or a name of the package
                module = f"{base}.{alias.name}"
                yield module if module in FILES else base
        elif isinstance(node, ast.Call) and _called(node) in {"import_module", "__import__"}:
            yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def own(name: str) -> Iterator[str]:
    yield from (module for module in imports(name) if module.split(".")[0] in {"nonstop", "nonstop_bench"})


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def test_every_module_has_its_place() -> None:
    present = {name for name in FILES if within(name, "nonstop")}
    assert present - set(PLACES) == set(), "give these files a place in ORDER"
    assert set(PLACES) - present == set(), "these files are gone: take them out of ORDER"


def test_only_rooms_and_shared_values_stand_at_the_top() -> None:
    assert {path.stem for path in (SRC / "nonstop").glob("*.py")} - {"__init__"} == TOP


def test_rooms_are_read_one_after_the_other() -> None:
    rooms = [name.split(".")[0] for name in ORDER]
    entered = [room for place, room in enumerate(rooms) if place == 0 or rooms[place - 1] != room]
    assert len(entered) == len(set(entered)), "a room is left and entered again"


@pytest.mark.parametrize("name", [name for name in FILES if within(name, "nonstop")])
def test_a_module_imports_only_from_above(name: str) -> None:
    place = PLACES.get(name, -1)
    below = [module for module in own(name) if PLACES.get(module, len(PLACES)) >= place]
    assert not below, f"{name} imports {below}, which stand below it"


@pytest.mark.parametrize("name", [name for name, path in FILES.items() if path.name == "__init__.py"])
def test_packages_are_empty_but_for_the_facades(name: str) -> None:
    if name not in FACADES:
        assert list(own(name)) == []


def test_no_cycle_in_the_benchmarks() -> None:
    """They have no written order; what they import from each other still has a direction."""
    left = {
        name: {m for m in own(name) if within(m, "nonstop_bench")} for name in FILES if within(name, "nonstop_bench")
    }
    while left:
        free = {name for name, needs in left.items() if not needs & set(left)}
        assert free, f"a cycle among {sorted(left)}"
        left = {name: needs for name, needs in left.items() if name not in free}


@pytest.mark.parametrize("package", ["nonstop"])
def test_importing_loads_nothing_heavy(package: str) -> None:
    code = f"import json, sys, {package}; print(json.dumps(list(sys.modules)))"
    loaded = json.loads(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    assert sorted(HEAVY & set(loaded)) == []
    assert not [module for module in loaded if within(module, "nonstop_bench")]


@pytest.mark.parametrize("name", FILES)
def test_no_stored_data_can_run_code(name: str) -> None:
    unsafe = UNSAFE_MODULES - CARRIERS.get(name, set())
    assert not {module.split(".")[0] for module in imports(name)} & unsafe
    calls = [node for node in ast.walk(TREES[name]) if isinstance(node, ast.Call)]
    assert not {node.func.id for node in calls if isinstance(node.func, ast.Name)} & UNSAFE_CALLS
    assert not [node for node in calls for keyword in node.keywords if keyword.arg == "allow_pickle"]


@pytest.mark.parametrize("name", FILES)
def test_files_stay_readable(name: str) -> None:
    assert len(FILES[name].read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


def test_the_checks_see_what_they_look_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fabricated module with every kind of import that must not go unnoticed."""
    source = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from nonstop.study import Study
def later():
    import nonstop.propose as p
    from nonstop import UCB, wording
    from . import memory
    from .text import encode
    from ..clock import Clock
    importlib.import_module("nonstop.trials.spec")
"""
    monkeypatch.setitem(TREES, "nonstop.storage.ledger", ast.parse(source))
    assert sorted(own("nonstop.storage.ledger")) == [
        "nonstop",
        "nonstop.clock",
        "nonstop.propose",
        "nonstop.storage.memory",
        "nonstop.storage.text",
        "nonstop.study",
        "nonstop.trials.spec",
        "nonstop.wording",
    ]
