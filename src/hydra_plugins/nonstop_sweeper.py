"""What Hydra finds. It has no entry points: it runs every module of the namespace package `hydra_plugins`, and takes
the plugins in it. Each Hydra application does so when it starts, so nonstop is imported only when a sweep begins. While
it runs, the module is not in sys.modules, where dataclasses look for the types that strings name: no annotation here
may be a string.
"""

from dataclasses import dataclass, field
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf


@dataclass
class NonstopSweeperConf:
    """The node `hydra.sweeper`; nonstop.integrations.hydra_options.Options says what its keys mean."""

    _target_: str = "hydra_plugins.nonstop_sweeper.NonstopSweeper"
    params: dict[str, Any] = field(default_factory=dict)
    where: list[str] = field(default_factory=list)
    direction: str = "minimize"
    objectives: dict[str, str] = field(default_factory=dict)
    constraints: dict[str, str] = field(default_factory=dict)
    n_trials: int = 50
    n_jobs: int = 1
    timeout: float | None = None
    until: str | None = None
    seed: int | None = None
    rule: str | None = None
    storage: str | None = "sqlite:///${hydra.sweep.dir}/nonstop.db"
    study_name: str = "sweep"
    max_failure_rate: float | None = None
    max_failures: int | None = 10


ConfigStore.instance().store(group="hydra/sweeper", name="nonstop", node=NonstopSweeperConf, provider="nonstop")


class NonstopSweeper(Sweeper):
    """`hydra/sweeper: nonstop`: the moment a job ends, the next one starts."""

    def __init__(self, **options: Any) -> None:
        self._options = {
            key: OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value
            for key, value in options.items()
        }

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Called by Hydra before sweep()."""
        self.hydra_context = hydra_context
        self.config = config
        self.launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: list[str]) -> Any:
        """Run the sweep of these overrides; what its jobs returned."""
        from nonstop.integrations.hydra import sweep

        return sweep(self._options, self.launcher, self.hydra_context, self.config, arguments)
