"""A figure as PNG or SVG, rendered by a browser on this machine or by Kaleido."""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import shutil
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

from nonstop.errors import NonstopError
from nonstop.plots.plotly import get_plotlyjs, go

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
FORMATS = ("png", "svg")
#: Without a window, and without use of the network.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-unsafe-swiftshader",
)
_PAGE = """<!doctype html><meta charset="utf-8"><body><div id="figure"></div><script>{plotly}</script>
<script>Plotly.newPlot("figure", {figure}).then(drawn => Plotly.toImage(drawn, {options}))
.then(url => {{ document.body.innerHTML = "<pre></pre>"; document.querySelector("pre").textContent = "image:" + url }})
</script>"""


class NoImageError(NonstopError, RuntimeError):
    """No program to make an image was found, or it failed."""


def write_image(figure: go.Figure, path: str | Path, width: int = 900, height: int | None = None) -> Path:
    """Write the figure to a .png or .svg file. The background is white; on pages it is transparent."""
    target = Path(path)
    form = target.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise NoImageError(f"cannot write {target.name!r}: an image ends with .png or .svg")
    opaque = go.Figure(figure).update_layout(
        paper_bgcolor="white", plot_bgcolor="white", font={"family": "sans-serif", "color": "#333"}
    )
    tall = height or opaque.layout.height or 450
    target.write_bytes(_rendered(opaque, form, width, tall))
    return target


def _rendered(figure: go.Figure, form: str, width: int, height: int) -> bytes:
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is not None:
        return _by_browser(browser, figure, form, width, height)
    if importlib.util.find_spec("kaleido") is not None:
        return bytes(figure.to_image(format=form, width=width, height=height))
    raise NoImageError(
        "no program here can make an image: install Chromium, or pip install kaleido; figure.write_html() needs neither"
    )


def _by_browser(browser: str, figure: go.Figure, form: str, width: int, height: int) -> bytes:
    """The page draws the figure and replaces itself by the image as text, which --dump-dom prints."""
    options = {"format": form, "width": width, "height": height, "scale": 2 if form == "png" else 1}
    page = _PAGE.format(
        plotly=get_plotlyjs(), figure=figure.to_json().replace("<", "\\u003c"), options=json.dumps(options)
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "figure.html")
        file.write_text(page, encoding="utf-8")
        command = [
            browser,
            *FLAGS,
            f"--user-data-dir={folder}/profile",
            "--virtual-time-budget=20000",
            "--dump-dom",
            file.as_uri(),
        ]
        try:
            printed = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NoImageError(f"{browser} made no image: {error}") from error
    found = re.search(r"image:data:image/[^,;]*(?:;[^,]*)?,([^<]*)</pre>", printed)
    if found is None:
        raise NoImageError(f"{browser} made no image of the figure")
    return (
        base64.b64decode(found[1]) if form == "png" else urllib.parse.unquote_to_bytes(found[1].replace("&amp;", "&"))
    )
