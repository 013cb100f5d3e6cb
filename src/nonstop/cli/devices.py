"""`--gpus 0,1,2,3`: one device for each worker, or several (`0+1,2+3`), as CUDA_VISIBLE_DEVICES in its environment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from nonstop.cli.terminal import echo

#: A number, a UUID (GPU-8f2c...), a part of a device (MIG-...); several of one worker with + or , between them.
_DEVICES: Final = re.compile(r"[\w.:/-]+(?:[+,][\w.:/-]+)*", re.ASCII)


def devices_of(value: object) -> tuple[str, ...] | None:
    """The devices of each worker: of the text 0,1 or 0+1,2+3, or of a list such as [0, 1] or ["0,1", "2,3"]."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not parts:
        return None
    texts = [str(part).strip() if isinstance(part, str | int) and not isinstance(part, bool) else "" for part in parts]
    return tuple(text.replace("+", ",") for text in texts) if all(map(_DEVICES.fullmatch, texts)) else None


def environments_of(gpus: Sequence[str] | None, workers: int) -> dict[str, list[dict[str, str]]]:
    """The argument `environments` of Study.optimize(), if there are devices; says so if workers have to share them."""
    if not gpus:
        return {}
    if workers != len(gpus):
        who = "some are not used" if workers < len(gpus) else "workers share them in turn"
        echo(f"nonstop: {workers} workers on {len(gpus)} entries of --gpus: {who}", err=True)
    # Its counterparts for AMD (HIP) understand it, too.
    return {"environments": [{"CUDA_VISIBLE_DEVICES": devices} for devices in gpus]}
