"""libEnsemble: the generator runs beside the manager, and each result goes to it at once (async_return)."""

from __future__ import annotations

import sys
import time
from typing import Any

from gest_api.vocs import VOCS
from libensemble import Ensemble
from libensemble.alloc_funcs.start_only_persistent import only_persistent_gens
from libensemble.specs import AllocSpecs, ExitCriteria, GenSpecs, LibeSpecs, SimSpecs

from nonstop.integrations.gest import NonstopGenerator


def simulate(point: dict[str, Any], **_: Any) -> dict[str, float]:
    time.sleep(0.02 + 0.1 * point["x"])  # stands for an hour on a node
    return {"f": (point["x"] - 0.3) ** 2 + point["y"] ** 2, "c": point["x"] + point["y"]}


def main(trials: int = 24, workers: int = 3) -> None:
    vocs = VOCS(
        variables={"x": [0.0, 1.0], "y": [-1.0, 1.0]},
        objectives={"f": "MINIMIZE"},
        constraints={"c": ["GREATER_THAN", 0.5]},
    )
    generator = NonstopGenerator(vocs, seed=1)
    ensemble = Ensemble(
        libE_specs=LibeSpecs(comms="local", nworkers=workers, gen_on_manager=True, disable_log_files=True),
        gen_specs=GenSpecs(generator=generator, vocs=vocs, initial_batch_size=workers),
        sim_specs=SimSpecs(simulator=simulate, vocs=vocs),
        alloc_specs=AllocSpecs(alloc_f=only_persistent_gens, user={"async_return": True}),
        exit_criteria=ExitCriteria(sim_max=trials),
    )
    history, _, _ = ensemble.run()
    best = generator.study.best_trial  # the generator is still there: it ran in a thread of this process
    print(f"{history['sim_ended'].sum()} evaluated, the best is {best.value:.4f} at {best.params}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
