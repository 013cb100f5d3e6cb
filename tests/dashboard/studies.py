"""Studies to look at: one that went well, one that hurts, one that only failed, one that has not begun."""

from __future__ import annotations

import math

import nonstop
from nonstop.types import Params

HOSTILE = "<script>document.title = 'owned'</script>"
REASON = "RuntimeError: <img src=x onerror=\"document.title = 'owned'\">\n  out of memory"
SPACE = nonstop.Space(
    {
        "lr": nonstop.Float(1e-5, 1e-1, log=True),
        "depth": nonstop.Int(1, 12),
        "<b>loss</b>": nonstop.Categorical(["l1", "<i>l2</i>", "huber"]),
    }
)


def value_of(params: Params) -> float:
    lr, depth = params["lr"], params["depth"]
    assert isinstance(lr, float)
    assert isinstance(depth, int)
    return 0.1 + 0.02 * math.log10(lr / 1e-3) ** 2 + 0.001 * (depth - 7) ** 2


def fill(url: str) -> None:
    """`good` has 30 results, the hostile one every state there is, `broken` only failures, `empty` nothing."""
    good = nonstop.create_study(url, "good", space=SPACE)
    for i in range(30):
        trial = good.ask(f"worker-{i % 3}")
        good.tell(trial, value_of(trial.params or {}))
    hostile = nonstop.create_study(good.storage, HOSTILE, space=SPACE, direction="maximize", seed=1)
    for i in range(12):
        trial = hostile.ask("<u>anna</u>")
        if i % 4 == 3:
            hostile.tell(trial, state="failed", reason=REASON)
        else:
            hostile.tell(trial, -value_of(trial.params or {}))
    hostile.storage.set_budget(hostile.id, 20)
    hostile.ask("berta")
    hostile.enqueue({"lr": 1e-3, "depth": 3, "<b>loss</b>": "l1"})
    broken = nonstop.create_study(good.storage, "broken", space=SPACE)
    for i in range(6):
        broken.tell(broken.ask("worker"), state="failed", reason=f"ValueError: reason {i % 2}")
    nonstop.create_study(good.storage, "empty", space=SPACE)
    good.storage.close()
