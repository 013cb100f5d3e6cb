"""The demo runs, on a small budget, and says what it promises to say; what it says to type next works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.helpers.commands import ROOT, run


def test_the_demo_ends_with_best_value_regret_utilisation_and_what_to_type_next(tmp_path: Path) -> None:
    options = ["--budget", "12", "--workers", "2", "--seconds", "0.05"]
    demo = [sys.executable, str(ROOT / "examples" / "demo.py"), *options]
    said = subprocess.run(demo, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60)
    assert re.search(r"^\[ .*12 of 12 done \(100 %\), 0 running, 0 failed", said.stderr, re.MULTILINE)
    assert re.search(r"best point   \([01]\.\d{4}(, [01]\.\d{4}){5}\)", said.stdout)
    assert re.search(r"best value   -\d\.\d{6}, regret \d\.\de[+-]\d\d", said.stdout)
    assert re.search(r"workers      2: \d+\.\d % evaluating, .* % proposing, .* % storing", said.stdout)
    (report,) = re.findall(r"report       (\S+) \(open it in a browser\)", said.stdout)
    assert "demo-1" in Path(report).read_text(encoding="utf-8")
    for command in re.findall(r"nonstop (\w+ .*)", said.stdout):
        assert run(*command.split(), cwd=tmp_path).stdout
