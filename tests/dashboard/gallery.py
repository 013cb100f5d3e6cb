"""Studies as users have them, each run by four workers: what every page and figure has to be able to show.

    python -m tests.dashboard.gallery FOLDER [STUDY ...]

writes their reports, and pictures of the reports and of the dashboard's pages: wide and on a phone, light and dark. It
says which numbers are broken, which titles are cut and which labels lie on each other.
"""

from __future__ import annotations

import math
import shutil
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

import nonstop
from nonstop.cli.report import write_report
from nonstop.types import Params
from tests.dashboard.conftest import FLAGS, NAMES
from tests.dashboard.serving import served

MEASURES = Path(__file__).with_name("legible.js").read_text(encoding="utf-8")
WIDE, PHONE = (1400, 1000), (390, 844)
WORKERS = 4


def numbers(params: Params) -> list[float]:
    return [float(value) for value in params.values() if isinstance(value, int | float)]


def luck(params: Params) -> np.random.Generator:
    """Chance that depends on the params alone, so that a study is the same every time as far as threads allow."""
    return np.random.default_rng(zlib.crc32(repr(params).encode()))


def mixed(params: Params) -> float:
    """The error of a network: some settings diverge, and a few values are very bad."""
    rate, momentum, depth, _ = numbers(params)[:4]
    off = math.log10(rate / 3e-3)
    error = 0.04 + 0.03 * off**2 + 0.3 * (momentum - 0.9) ** 2 + 0.002 * (depth - 6) ** 2
    return error + 0.05 * float(params["loss"] == "l1") + (18_000.0 * off**2 if off > 1.2 and momentum > 0.7 else 0.0)


def discrete(params: Params) -> float:
    trees, leaves, split = numbers(params)
    return (trees - 7) ** 2 + abs(leaves - 20) / 4 + split + 3.0 * float(params["criterion"] == "gini")


def failing(params: Params) -> float:
    """Four in ten run out of memory or diverge, everywhere in the space."""
    width, rate = numbers(params)
    chance = luck(params).random()
    if chance < 0.25:
        raise MemoryError(f"cannot allocate {width * 3.7e6:.4g} bytes\n  at layer {int(width) % 7} of the network")
    if chance < 0.4:
        raise FloatingPointError("the loss is NaN after 3 steps")
    return (math.log10(width) - 2.3) ** 2 + (math.log10(rate) + 1.5) ** 2


def noisy(params: Params) -> float:
    x, y = numbers(params)
    return math.sin(5.0 * x) + (y - 0.4) ** 2 + 0.4 * float(luck(params).standard_t(3))


def thirty(params: Params) -> float:
    return sum((value - 0.3) ** 2 / (1 + rank) for rank, value in enumerate(numbers(params)))


def decades(params: Params) -> float:
    x, y = numbers(params)
    return math.pow(10.0, min(6.0, -10.0 + 16.0 * (abs(x - 0.37) + abs(y - 0.61)) + 0.2 * math.sin(40.0 * x)))


def _unlike() -> nonstop.Space:
    """Thirty parameters with names of 1 to 40 characters, and choices of up to 60."""
    words = "optimizer schedule warmup fraction of the second encoder block attention dropout"
    names = ["x", "lr", "model.encoder.layers.attention.dropout_rate"[:40], "n"]
    names += [f"p{i}" if i % 3 else f"stage_{i}_of_the_pipeline_with_a_long_name"[: 12 + i] for i in range(4, 26)]
    parameters: dict[str, nonstop.Float | nonstop.Int | nonstop.Categorical] = {
        name: nonstop.Int(1, 9) if rank % 7 == 3 else nonstop.Float(0.0, 1.0) for rank, name in enumerate(names)
    }
    parameters["weight_decay"] = nonstop.Float(1e-6, 1e-1, log=True)
    parameters["narrow log range"] = nonstop.Float(2e-4, 7e-4, log=True)
    parameters["schedule"] = nonstop.Categorical([words[i : i + 60] for i in range(3)])
    parameters["augmentation"] = nonstop.Categorical(
        ["none", "a", "mixup-and-cutmix-with-label-smoothing-0.1-of-the-first-30-ep"]
    )
    return nonstop.Space(parameters)


@dataclass(frozen=True)
class Shown:
    """A study of the gallery."""

    objective: Callable[[Params], float]
    space: nonstop.Space
    n_trials: int = 60


STUDIES = {
    "mixed": Shown(
        mixed,
        nonstop.Space(
            {
                "lr": nonstop.Float(1e-5, 1.0, log=True),
                "momentum": nonstop.Float(0.0, 0.99),
                "depth": nonstop.Int(1, 12),
                "loss": nonstop.Categorical(["l1", "l2", "huber"]),
                "batch": nonstop.Int(8, 512, log=True),
            }
        ),
    ),
    "discrete": Shown(
        discrete,
        nonstop.Space(
            {
                "trees": nonstop.Int(1, 16),
                "leaves": nonstop.Int(2, 64),
                "split": nonstop.Categorical([2, 4, 8]),
                "criterion": nonstop.Categorical(["gini", "entropy", "log_loss"]),
            }
        ),
    ),
    "failing": Shown(
        failing,
        nonstop.Space({"width": nonstop.Int(16, 2048, log=True), "rate": nonstop.Float(1e-4, 1.0, log=True)}),
        45,
    ),
    "noisy": Shown(noisy, nonstop.Space({"x": nonstop.Float(0.0, 1.0), "y": nonstop.Float(0.0, 1.0)})),
    "thirty": Shown(thirty, _unlike(), 110),
    "decades": Shown(decades, nonstop.Space({"x": nonstop.Float(0.0, 1.0), "y": nonstop.Float(0.0, 1.0)})),
}  # fmt: skip


def build(url: str, names: Iterable[str] = STUDIES) -> None:
    """Run the studies, each on four threads. The gallery's evaluations take 5 to 40 ms."""
    for name in names:
        shown = STUDIES[name]
        study = nonstop.create_study(url, name, space=shown.space)
        with ThreadPoolExecutor(WORKERS) as pool:
            study.optimize(_slow(shown.objective), shown.n_trials, workers=pool, max_failures=None)
        study.storage.close()


def _slow(objective: Callable[[Params], float]) -> Callable[[Params], float]:
    turn = threading.local()

    def slow(params: Params) -> float:
        turn.count = getattr(turn, "count", 0) + 1
        time.sleep(0.005 + 0.035 * (turn.count % 5 == 0))
        return objective(params)

    return slow


def look(browser: Browser, address: str, target: Path, size: tuple[int, int], colours: str) -> None:
    """A picture of the whole page, with all of its figures drawn."""
    dark = colours == "dark"
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        has_touch=size == PHONE,
    )
    page.goto(address)
    draw_all(page)
    page.wait_for_timeout(400)
    page.screenshot(path=target, full_page=True, timeout=120_000)
    for problem in problems(page):
        print(f"{target.stem}: {problem}")
    page.close()


def problems(page: Page) -> list[str]:
    """What is wrong with a page: see legible.js."""
    page.evaluate(MEASURES)
    return [f"{kind}: {found}" for kind in ("broken", "cut", "colliding") for found in page.evaluate(f"{kind}()")]


def draw_all(page: Page) -> None:
    """Scroll to every figure, and wait until it is drawn."""
    page.wait_for_selector("[data-figure]")
    for figure in page.locator("[data-figure]:visible").all():
        figure.scroll_into_view_if_needed()
        figure.locator(".main-svg").first.wait_for(timeout=60_000)
    page.evaluate("scrollTo(0, 0)")


def main(target: Path, names: Iterable[str]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    url = f"sqlite:///{target / 'gallery.db'}"
    if not (target / "gallery.db").exists():
        build(url)
    path = next(found for name in NAMES if (found := shutil.which(name)))
    chosen = tuple(names) or tuple(STUDIES)
    with served(url, target) as dashboard, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for name in chosen:
            file = target / f"{name}.html"
            write_report(url, name, file)
            page = f"{dashboard.address}/studies/{list(STUDIES).index(name) + 1}"
            for size, wide in ((WIDE, "wide"), (PHONE, "phone")):
                for colours in ("light", "dark"):
                    look(browser, file.as_uri(), target / f"{name}-report-{wide}-{colours}.png", size, colours)
                    look(browser, page, target / f"{name}-dashboard-{wide}-{colours}.png", size, colours)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
