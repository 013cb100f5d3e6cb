"""The long run of `make spaces`: 100,000 random spaces, every check on each of them, in several processes."""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from nonstop.space import Space
from tests.helpers.spaces import kinds_of, spaces
from tests.space.checks import CHECKS

MANY = 100_000
SHARE = 500  # spaces in one run of Hypothesis: its time grows faster than their number


def tried(share: int) -> Counter[str]:
    """One share: how many spaces of each kind were checked. A failure raises, with the space in it."""
    seen: Counter[str] = Counter()

    @seed(share)
    @settings(
        max_examples=SHARE,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(spaces(depth=3), st.integers(0, 2**32))
    def every_check(space: Space, number: int) -> None:
        for check in CHECKS:
            check(space, number)
        seen.update({"spaces", *kinds_of(space)})
        seen["params and points"] += 5 + 8

    every_check()
    return seen


def main() -> None:
    """Run all shares and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spaces", type=int, default=MANY)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path)
    given_ = parser.parse_args()
    began, total = time.monotonic(), Counter[str]()
    with ProcessPoolExecutor(given_.processes) as pool:
        for share, seen in enumerate(pool.map(tried, range(-(-given_.spaces // SHARE)))):
            total += seen
            if share % 20 == 19:
                print(f"{total['spaces']:,} spaces, {time.monotonic() - began:.0f} s", flush=True)
    text = table(total, time.monotonic() - began, given_.processes)
    print(text)
    if given_.out:
        given_.out.write_text(text, encoding="utf-8")


def table(total: Counter[str], seconds: float, processes: int) -> str:
    """The result as Markdown."""
    count = total.pop("spaces")
    points = total.pop("params and points")
    checks = "\n".join(f"- {(check.__doc__ or '').strip()}" for check in CHECKS)
    kinds = "\n".join(f"| {kind} | {number:,} |" for kind, number in total.most_common())
    how = f"in {seconds:.0f} s with {processes} processes, Python {platform.python_version()}"
    command = "make spaces" if count >= MANY else f'make spaces ARGS="--spaces {count}"'
    return f"""# Random spaces

`{command}`: {count:,} random spaces of up to four levels, each level with up to three parameters and two constraints,
{how}. All checks passed for each of them, with {points:,} params and points:

{checks}

| kind | spaces |
|---|---|
{kinds}
"""


if __name__ == "__main__":
    main()
