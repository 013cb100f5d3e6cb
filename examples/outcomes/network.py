"""A network on a small device, simulated: large ones err less, but take longer and do not fit into its memory.

python network.py 256 4 8        prints {"error": 0.11, "latency": 0.38, "memory": 0.52, "parameters": 524288}
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Mapping

#: Seconds that an evaluation takes: training would take longer.
SECONDS = 0.1


def measure(params: Mapping[str, int]) -> dict[str, float]:
    """Error, latency in milliseconds and memory in MB, and what else may be of interest."""
    time.sleep(SECONDS)
    width, layers, bits = params["width"], params["layers"], params["bits"]
    parameters = 2.0 * width * width * layers
    capacity = math.log10(parameters)
    error = 0.03 + 0.3 * math.exp(-0.6 * (capacity - 2.7)) + 0.15 * 2.0 ** (-bits / 2.5) + 0.003 * (layers - 4) ** 2
    latency = 0.05 + 0.03 * layers + parameters * bits / 32.0 * 1e-6
    return {"error": error, "latency": latency, "memory": parameters * bits / 8e6, "parameters": parameters}


if __name__ == "__main__":
    names = ("width", "layers", "bits")
    print(json.dumps(measure(dict(zip(names, map(int, sys.argv[1:]), strict=True)))))
