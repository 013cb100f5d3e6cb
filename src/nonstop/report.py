"""A study as one HTML file that opens anywhere, without a network: summary, figures, and how to go on."""

from __future__ import annotations

import html
import json
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Final

from nonstop.history import trace, utilisation
from nonstop.history.progress import began
from nonstop.plots import CAPTIONS, CONFIG, FIGURES
from nonstop.plots.plotly import get_plotlyjs
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import duration, scalar, share
from nonstop.workers.usage import Usage, overall

_MOST_REASONS, _MOST_WORKERS, _LONGEST = 12, 64, 600
_UNDER_WAY: Final = (TrialState.RUNNING, TrialState.PROPOSING, TrialState.WAITING)
#: Figures that need more width than a phone has scroll sideways instead of shrinking.
_WIDE: Final = {"slices", "contour", "parallel", "check", "timeline"}

_PLACEHOLDER: Final = "MODULE:FUNCTION"


@dataclass(frozen=True, slots=True)
class About:
    """What a report says besides the trials. `storage` and `resume` come without passwords; `rule` as it is stored,
    since an object of the user's own is not at hand; `notes` are remarks for the reader."""

    name: str
    storage: str
    rule: str
    now: float
    resume: str
    notes: Sequence[str] = ()


def page(about: About, spec: Spec, trials: Sequence[Trial]) -> str:
    """The whole file."""
    folder = files("nonstop") / "assets"
    style, script = ((folder / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    figures = {name: draw(spec, trials) for name, draw in FIGURES.items()}
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{_text(about.name)} · nonstop</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>",
            *_header(about, spec, trials),
            '<div class="pair">',
            *_best(spec, trials),
            _facts(about, spec, trials),
            "</div>",
            *_failures(trials),
            *_workers(utilisation(trials)),
            *(_figure(name, figure.layout.height or 450) for name, figure in figures.items()),
            *_resume(about),
            "</main>",
            _embedded("config", json.dumps(CONFIG)),
            *(_embedded(name, figure.to_json()) for name, figure in figures.items()),
            f"<script>{get_plotlyjs()}</script>\n<script>\n{script}</script>\n</body>\n</html>\n",
        ]
    )


def resume_command(url: str, name: str, completed: int) -> str:
    """What to type for more trials of a study that a script made: its objective is not stored, so its place is
    marked."""
    budget = max(2 * completed, 20)
    return f"{shlex.join(['nonstop', 'worker', url, name])} {_PLACEHOLDER} --n-trials {budget} --workers 4"


def _header(about: About, spec: Spec, trials: Sequence[Trial]) -> Iterable[str]:
    counts = Counter(trial.state for trial in trials)
    record = trace(spec, trials)
    ends = [trial.finished_at for trial in trials if trial.finished_at is not None]
    running = sum(counts[state] for state in _UNDER_WAY)
    usages = utilisation(trials)
    tiles = [
        ("best value", scalar(float(record.best[-1])) if len(record.best) else "none yet"),
        ("completed", f"{counts[TrialState.COMPLETED]:,}"),
        ("failed", f"{counts[TrialState.FAILED]:,}"),
        ("under way", f"{running:,}"),
        ("evaluating", share(overall(usages).utilisation) if usages else "–"),
        ("elapsed", duration(max(ends) - record.began) if ends and record.began is not None else "–"),
    ]
    yield f'<header>\n<p class="brand">nonstop</p>\n<h1>{_text(about.name)}</h1>'
    yield f'<p class="state">{_state(counts)}</p>\n</header>'
    shown = "".join(f"<div><dt>{_text(what)}</dt><dd>{_text(value)}</dd></div>" for what, value in tiles)
    yield f'<dl class="tiles">{shown}</dl>'
    yield from (f'<p class="note">{_text(note)}</p>' for note in about.notes)


def _facts(about: About, spec: Spec, trials: Sequence[Trial]) -> str:
    ends = [trial.finished_at for trial in trials if trial.finished_at is not None]
    facts = [
        ("study", about.name),
        ("storage", about.storage),
        ("direction", spec.direction),
        ("rule", about.rule),
        ("seed", str(spec.seed)),
        ("started", _moment(began(trials))),
        ("last result", _moment(max(ends, default=None))),
        ("this report", _moment(about.now)),
    ]
    return _section("About", _table(["", ""], facts, header=False))


def _state(counts: Mapping[TrialState, int]) -> str:
    under_way = counts.get(TrialState.RUNNING, 0) + counts.get(TrialState.PROPOSING, 0)
    if under_way:
        return f"{under_way} trial{'s' if under_way > 1 else ''} under way when this was written"
    if counts.get(TrialState.WAITING, 0):
        return f"stopped, with {counts[TrialState.WAITING]} waiting to be taken up"
    if counts.get(TrialState.COMPLETED, 0):
        return "at rest: nothing is running"
    return "no completed trial yet"


def _best(spec: Spec, trials: Sequence[Trial]) -> Iterable[str]:
    record = trace(spec, trials)
    if not record.completed:
        yield _section("Best params", "<p>There is no completed trial yet.</p>")
        return
    trial = record.completed[record.steps[-1]]
    rows = [[name, scalar(value), _range(spec, name)] for name, value in (trial.params or {}).items()]
    words = f"<p>Trial {trial.number} reached {_text(scalar(trial.value))}, to {spec.direction} the value.</p>"
    yield _section("Best params", words + _table(["parameter", "value", "searched"], rows))


def _range(spec: Spec, name: str) -> str:
    parameter = spec.space.to_json()[name]
    if "choices" in parameter:
        choices = parameter["choices"]
        assert isinstance(choices, list)
        return ", ".join(scalar(choice) for choice in choices)
    return f"{scalar(parameter['low'])} to {scalar(parameter['high'])}" + (" (log)" if parameter["log"] else "")


def _failures(trials: Sequence[Trial]) -> Iterable[str]:
    reasons = Counter(trial.reason or "no reason given" for trial in trials if trial.state is TrialState.FAILED)
    lost = sum(trial.attempt > 1 for trial in trials)
    if not reasons and not lost:
        return
    rows = [[f"{count:,}", _short(reason)] for reason, count in reasons.most_common(_MOST_REASONS)]
    parts = [_table(["trials", "why they failed"], rows)] if rows else []
    if len(reasons) > _MOST_REASONS:
        parts.append(
            f"<p>And {len(reasons) - _MOST_REASONS} other reasons: <code>nonstop export</code> has them all.</p>"
        )
    if lost:
        parts.append(f"<p>{lost} trial{'s were' if lost > 1 else ' was'} handed on after a worker fell silent.</p>")
    yield _section("Failures", "".join(parts))


def _workers(usages: Sequence[Usage]) -> Iterable[str]:
    if not usages:
        return
    rows = [_worker(usage) for usage in ([*usages[:_MOST_WORKERS], overall(usages, "all workers")])]
    head = ["worker", "evaluating", "proposing", "storage", "idle", "time"]
    yield _section("Where the time went", _table(head, rows, numbers=True))


def _worker(usage: Usage) -> list[str]:
    total = usage.total or 1.0
    parts = (usage.evaluating, usage.proposing, usage.storing, usage.idle)
    return [usage.worker, *(share(part / total) for part in parts), duration(usage.total)]


def _figure(name: str, height: int) -> str:
    title, caption = CAPTIONS[name]
    kind = "figure wide" if name in _WIDE else "figure"
    plot = f'<div class="{kind}"><div id="plot-{name}" data-figure="{name}" style="height:{height}px"></div></div>'
    return _section(title, f"<p>{_text(caption)}</p>{plot}")


def _resume(about: About) -> Iterable[str]:
    hint = "The same command goes on where the run stopped; with a larger budget, beyond its end."
    if _PLACEHOLDER in about.resume:
        hint = (
            "More trials, from any machine that reaches the storage; put your objective in the place of "
            f"{_PLACEHOLDER}. --n-trials is the budget of the whole study."
        )
    yield _section("Go on", f"<p>{_text(hint)}</p><pre><code>{_text(about.resume)}</code></pre>")


def _section(title: str, body: str) -> str:
    return f"<section>\n<h2>{_text(title)}</h2>\n{body}\n</section>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], header: bool = True, numbers: bool = False) -> str:
    top = f"<thead><tr>{''.join(f'<th>{_text(cell)}</th>' for cell in head)}</tr></thead>" if header else ""
    body = "".join(
        f'<tr><th scope="row">{_text(first)}</th>{"".join(f"<td>{_text(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    return f'<div class="scroll"><table{" class=numbers" if numbers else ""}>{top}<tbody>{body}</tbody></table></div>'


def _embedded(name: str, figure: str) -> str:
    """The figure as data, not as script. With < written as an escape, no word of a user can end the element."""
    safe = figure.replace("<", "\\u003c")
    return f'<script type="application/json" id="data-{name}">{safe}</script>'


def _text(words: str) -> str:
    return html.escape(words)


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"


def _moment(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
