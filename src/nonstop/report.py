"""The report of a study: one HTML file that needs no network, with summary, figures and the command to continue."""

from __future__ import annotations

import html
import json
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, Final

from nonstop.history import listing, trace, utilisation
from nonstop.history.progress import began
from nonstop.plots import CAPTIONS, CONFIG, FIGURES
from nonstop.plots.plotly import get_plotlyjs, go
from nonstop.plots.words import fitting
from nonstop.space import Categorical, Ordinal, Parameter
from nonstop.trials.spec import Spec
from nonstop.trials.times import duration_of
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import assignments, cause_of, duration, scalar, share
from nonstop.workers.usage import Usage, overall

#: Limits of the tables: reasons of failures, workers, characters of a reason.
_MOST_REASONS, _MOST_WORKERS, _LONGEST = 12, 64, 600
#: Characters of a text in the table of trials that are shown without pointing at it; of a reason at most.
_WIDTH, _REASON = 32, 200
#: So many parameters, with names of so many characters, fit beside the facts.
_FEW, _NARROW = 12, 18
#: Characters of all choices of a parameter.
_CHOICES: Final = 72
#: Pixels that the title of a figure takes, which the page shows as text.
_TITLE: Final = 30
_UNDER_WAY: Final = (TrialState.RUNNING, TrialState.PROPOSING, TrialState.WAITING)
#: Figures that scroll sideways on a narrow screen instead of shrinking.
_WIDE: Final = {"slices", "contour", "parallel", "check", "timeline"}
#: Stands for the objective in the command to continue.
_PLACEHOLDER: Final = "MODULE:FUNCTION"


@dataclass(frozen=True, slots=True)
class About:
    """What a report shows besides the trials."""

    #: The name of the study.
    name: str
    #: The URL of the storage, without its password.
    storage: str
    #: The rule as it is stored: its name, or a description of an object.
    rule: str
    #: When the report is written.
    now: float
    #: The command to continue the study, without passwords.
    resume: str
    #: Remarks for the reader.
    notes: Sequence[str] = ()


def page(about: About, spec: Spec, trials: Sequence[Trial]) -> str:
    """The content of the file."""
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
            f'<div class="{_pair(spec)}">',
            *_best(spec, trials),
            _facts(about, spec, trials),
            "</div>",
            *_failures(trials),
            *_workers(utilisation(trials)),
            *(_figure(name, figure) for name, figure in figures.items()),
            *_trials(spec, trials),
            *_resume(about),
            "</main>",
            _embedded("config", json.dumps(CONFIG)),
            *(_embedded(name, _untitled(figure).to_json()) for name, figure in figures.items()),
            f"<script>{get_plotlyjs()}</script>\n<script>\n{script}</script>\n</body>\n</html>\n",
        ]
    )


def resume_command(url: str, name: str, completed: int) -> str:
    """The command for more trials of a study made by a script. Its objective is not stored, so a placeholder is."""
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
        *(("where", str(constraint)) for constraint, _ in spec.space.rules()),
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
        return f"nothing is running; {counts[TrialState.WAITING]} trials wait for a worker"
    if counts.get(TrialState.COMPLETED, 0):
        return "nothing is running"
    return "no completed trial yet"


def _best(spec: Spec, trials: Sequence[Trial]) -> Iterable[str]:
    record = trace(spec, trials)
    if not record.completed:
        yield _section("Best params", "<p>There is no completed trial yet.</p>")
        return
    trial = record.completed[record.steps[-1]]
    params, leaves = trial.params or {}, spec.space.active(trial.params or {})
    rows = [[leaf.name, _value(params[leaf.name]), _range(leaf.parameter)] for leaf in leaves]
    reached = f'<span class="n">{scalar(trial.value)},</span>'
    sentence = f"<p>Trial {trial.number} reached {reached} to {spec.direction} the value.</p>"
    yield _section("Best params", sentence + _table(["parameter", "value", "searched"], rows))


def _range(parameter: Parameter) -> str:
    if isinstance(parameter, Categorical | Ordinal):
        return ", ".join(fitting([scalar(choice) for choice in parameter.choices], _CHOICES, 12))
    if parameter.low == parameter.high:
        return "nothing else"
    ends = f"{_html(_value(parameter.low))} to {_html(_value(parameter.high))}"
    step = parameter.step
    steps = "" if step is None else f", times {step[1:]}" if isinstance(step, str) else f" in steps of {scalar(step)}"
    return _Html(f"{ends}{_html(steps)}{' (log)' if parameter.log else ''}")


def _failures(trials: Sequence[Trial]) -> Iterable[str]:
    reasons = Counter(cause_of(trial.reason) for trial in trials if trial.state is TrialState.FAILED)
    lost = sum(trial.attempt > 1 for trial in trials)
    if not reasons and not lost:
        return
    rows = [
        [_Html(f'<span class="n">{count:,}</span>'), _short(reason)]
        for reason, count in reasons.most_common(_MOST_REASONS)
    ]
    parts = [_table(["trials", "why they failed"], rows)] if rows else []
    if len(reasons) > _MOST_REASONS:
        parts.append(f"<p>And {len(reasons) - _MOST_REASONS} other reasons: see <code>nonstop export</code>.</p>")
    if lost:
        parts.append(
            f"<p>{lost} trial{'s were' if lost > 1 else ' was'} taken over by another worker after a lost lease.</p>"
        )
    yield _section("Failures", "".join(parts))


def _workers(usages: Sequence[Usage]) -> Iterable[str]:
    if not usages:
        return
    rows = [_worker(usage) for usage in ([*usages[:_MOST_WORKERS], overall(usages, "all workers")])]
    head = ["worker", "evaluating", "proposing", "storing", "idle", "total"]
    yield _section("Where the time went", _table(head, rows, numbers=True))


def _worker(usage: Usage) -> list[str]:
    total = usage.total or 1.0
    parts = (usage.evaluating, usage.proposing, usage.storing, usage.idle)
    return [usage.worker, *(share(part / total) for part in parts), duration(usage.total)]


def _pair(spec: Spec) -> str:
    """Params and facts side by side, unless names are long or many."""
    names = spec.space.names
    return "pair" if len(names) <= _FEW and max(map(len, names)) <= _NARROW else "pair long"


def _figure(name: str, figure: go.Figure) -> str:
    """The place of a figure: what it is, what it says this time, and what is not on it, with a switch to see that."""
    title, caption = CAPTIONS[name]
    said: dict[str, Any] = figure.layout.meta or {}
    kind = "figure wide" if name in _WIDE else "figure"
    style = f"height:{_height(figure)}px" + (f";min-width:{said['width']}px" if said.get("width") else "")
    switch = '<button type="button" class="switch" aria-pressed="false" hidden>Show all values</button>'
    note = f'<p class="beyond"><span>{_text(_sentence(said["note"]))}</span> {switch}</p>' if said.get("note") else ""
    finding = f'<p class="finding">{_text(said["title"])}</p>' if said.get("title") else ""
    plot = f'<div class="{kind}"><div id="plot-{name}" data-figure="{name}" style="{style}"></div></div>'
    return _section(title, f"<p>{_text(caption)}</p>{finding}{note}{plot}")


def _untitled(figure: go.Figure) -> go.Figure:
    """The figure without its title, which the page shows as text: a title in a figure cannot wrap."""
    if not figure.layout.meta:
        return figure
    top = (figure.layout.margin.t or 56) - _TITLE
    return figure.update_layout(title_text="", margin={"t": max(top, 16)}, height=_height(figure))


def _height(figure: go.Figure) -> int:
    return int(figure.layout.height or 450) - (_TITLE if figure.layout.meta and figure.layout.title.text else 0)


def _trials(spec: Spec, trials: Sequence[Trial]) -> Iterable[str]:
    """The table of trials. Its cells are short, because there may be 14,000 of them."""
    if not trials:
        return
    record = listing(spec, trials)
    names = spec.space.names
    head = ["trial", "state", "value", *names, "worker", "time (UTC)", "duration", "reason"]
    noted = any(trial.notes for trial in record.trials)
    head += ["notes"] if noted else []
    part = f"The best {record.best} and the latest of {record.of:,} trials: <code>nonstop export</code> has all."
    hint = part if record.best else f"All {record.of:,} trials." if record.of > 1 else "The only trial."
    words = {"state", "worker", "reason", "notes"} | {
        leaf.name for leaf in spec.space.leaves if isinstance(leaf.parameter, Categorical | Ordinal)
    }
    top = "".join(f"<th{' class=t' if name in words else ''}>{_text(name)}</th>" for name in head)
    rows = "".join(f"<tr>{''.join(_cells(trial, names, noted))}</tr>" for trial in record.trials)
    table = f'<table class="trials"><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table>'
    yield _section("Trials", f'<p>{hint}</p><div class="scroll tall" tabindex="0">{table}</div>')


def _cells(trial: Trial, names: Sequence[str], noted: bool) -> Iterable[str]:
    params = trial.params or {}
    time = trial.finished_at or trial.started_at or trial.asked_at
    took = duration_of(trial)
    value = "–" if trial.value is None else scalar(trial.value)
    yield f"<th>{trial.number}</th>{_cell(trial.state.value)}<td>{value}</td>"
    yield from (_cell(params[name]) if name in params else "<td>–</td>" for name in names)
    yield _cell(trial.worker or "–")
    yield f"<td>{_moment(time).removesuffix(' UTC')}</td>"
    yield "<td>–</td>" if took is None else f'<td data-v="{took:.6g}">{_took(took)}</td>'
    yield _cell(" ".join((trial.reason or "").split())[:_REASON])
    if noted:
        yield _cell(assignments(trial.notes)[:_REASON])


def _took(seconds: float) -> str:
    return duration(seconds) if seconds >= 0.0995 else f"{1000.0 * seconds:.0f} ms"


def _cell(value: object) -> str:
    """A number is aligned to the right, a text to the left, and a long one is whole when pointed at."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"<td>{scalar(value)}</td>"
    text = scalar(value)
    whole = f' title="{_text(text)}"' if len(text) > _WIDTH else ""
    return f"<td class=t{whole}>{_text(text)}</td>"


def _resume(about: About) -> Iterable[str]:
    hint = "The same command continues where the run stopped; raise the budget to go beyond its end."
    if _PLACEHOLDER in about.resume:
        hint = (
            f"More trials, from any machine that can reach the storage: replace {_PLACEHOLDER} by your objective. "
            "--n-trials is the budget of the whole study."
        )
    yield _section("Continue", f"<p>{_text(hint)}</p><pre><code>{_text(about.resume)}</code></pre>")


def _section(title: str, body: str) -> str:
    return f"<section>\n<h2>{_text(title)}</h2>\n{body}\n</section>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], header: bool = True, numbers: bool = False) -> str:
    top = f"<thead><tr>{''.join(f'<th>{_text(cell)}</th>' for cell in head)}</tr></thead>" if header else ""
    body = "".join(
        f'<tr><th scope="row">{_html(first)}</th>{"".join(f"<td>{_html(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    return f'<div class="scroll"><table{" class=numbers" if numbers else ""}>{top}<tbody>{body}</tbody></table></div>'


def _embedded(name: str, figure: str) -> str:
    """The figure as data, not as script. < is escaped, so that no text of a user can close the element."""
    safe = figure.replace("<", "\\u003c")
    return f'<script type="application/json" id="data-{name}">{safe}</script>'


def _text(raw: str) -> str:
    return html.escape(raw)


class _Html(str):
    """Text that is HTML already, made here."""


def _html(cell: str) -> str:
    return cell if isinstance(cell, _Html) else _text(cell)


def _value(value: object) -> str:
    """A value as a cell: a number is never broken into two lines, a text may be."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return _Html(f'<span class="n">{scalar(value)}</span>') if number else scalar(value)


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."


def _short(reason: str) -> str:
    return reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}…"


def _moment(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
