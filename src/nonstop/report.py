"""The report of a study: one HTML file that needs no network, with summary, figures and the command to continue."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from nonstop.history import utilisation
from nonstop.history.progress import began
from nonstop.pages.figures import drawn_figures, figure_section, identity_of, untitled
from nonstop.pages.html import Html, embedded, moment_of, section, table, text
from nonstop.pages.results import best_params, front_table, tiles
from nonstop.pages.trials import trial_table
from nonstop.plots import CONFIG, captions_of, figures_of
from nonstop.plots.plotly import get_plotlyjs
from nonstop.trials.spec import Spec
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import cause_of, duration, share
from nonstop.workers.usage import Usage, overall

#: Limits of the tables: reasons of failures, workers, characters of a reason.
_MOST_REASONS, _MOST_WORKERS, _LONGEST = 12, 64, 600
#: So many parameters, with names of so many characters, fit beside the facts.
_FEW, _NARROW = 12, 18
_UNDER_WAY: Final = (TrialState.RUNNING, TrialState.PROPOSING, TrialState.WAITING)
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
    figures = {name: drawn_figures(name, spec, trials) for name in figures_of(spec.goals)}
    captions = captions_of(spec.goals, figures)
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{text(about.name)} · nonstop</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>",
            *_header(about, spec, trials),
            f'<div class="{_pair(spec)}">',
            *(front_table(spec, trials) if spec.goals.several else best_params(spec, trials)),
            _facts(about, spec, trials),
            "</div>",
            *_failures(trials),
            *_workers(utilisation(trials)),
            *(figure_section(name, captions[name], drawn) for name, drawn in figures.items()),
            *trial_table(spec, trials),
            *_resume(about),
            "</main>",
            embedded("config", json.dumps(CONFIG)),
            *(
                embedded(identity_of(name, i), untitled(figure).to_json())
                for name, drawn in figures.items()
                for i, figure in enumerate(drawn.values())
            ),
            f"<script>{get_plotlyjs()}</script>\n<script>\n{script}</script>\n</body>\n</html>\n",
        ]
    )


def resume_command(url: str, name: str, completed: int) -> str:
    """The command for more trials of a study made by a script. Its objective is not stored, so a placeholder is."""
    budget = max(2 * completed, 20)
    return f"{shlex.join(['nonstop', 'worker', url, name])} {_PLACEHOLDER} --n-trials {budget} --workers 4"


def _header(about: About, spec: Spec, trials: Sequence[Trial]) -> Iterable[str]:
    counts = Counter(trial.state for trial in trials)
    start = began(trials)
    ends = [trial.finished_at for trial in trials if trial.finished_at is not None]
    running = sum(counts[state] for state in _UNDER_WAY)
    usages = utilisation(trials)
    numbers = [
        *tiles(spec, trials),
        ("completed", f"{counts[TrialState.COMPLETED]:,}"),
        ("failed", f"{counts[TrialState.FAILED]:,}"),
        ("under way", f"{running:,}"),
        ("evaluating", share(overall(usages).utilisation) if usages else "–"),
        ("elapsed", duration(max(ends) - start) if ends and start is not None else "–"),
    ]
    yield f'<header>\n<p class="brand">nonstop</p>\n<h1>{text(about.name)}</h1>'
    yield f'<p class="state">{_state(counts)}</p>\n</header>'
    shown = "".join(f"<div><dt>{text(what)}</dt><dd>{text(value)}</dd></div>" for what, value in numbers)
    yield f'<dl class="tiles">{shown}</dl>'
    yield from (f'<p class="note">{text(note)}</p>' for note in about.notes)


def _facts(about: About, spec: Spec, trials: Sequence[Trial]) -> str:
    ends = [trial.finished_at for trial in trials if trial.finished_at is not None]
    facts = [
        ("study", about.name),
        ("storage", about.storage),
        ("goals", str(spec.goals)) if spec.goals.named else ("direction", spec.direction),
        ("rule", about.rule),
        ("seed", str(spec.seed)),
        *(("where", str(constraint)) for constraint, _ in spec.space.rules()),
        ("started", moment_of(began(trials))),
        ("last result", moment_of(max(ends, default=None))),
        ("this report", moment_of(about.now)),
    ]
    return section("About", table(["", ""], facts, header=False))


def _state(counts: Mapping[TrialState, int]) -> str:
    under_way = counts.get(TrialState.RUNNING, 0) + counts.get(TrialState.PROPOSING, 0)
    if under_way:
        return f"{under_way} trial{'s' if under_way > 1 else ''} under way when this was written"
    if counts.get(TrialState.WAITING, 0):
        return f"nothing is running; {counts[TrialState.WAITING]} trials wait for a worker"
    if counts.get(TrialState.COMPLETED, 0):
        return "nothing is running"
    return "no completed trial yet"


def _failures(trials: Sequence[Trial]) -> Iterable[str]:
    reasons = Counter(cause_of(trial.reason) for trial in trials if trial.state is TrialState.FAILED)
    lost = sum(trial.attempt > 1 for trial in trials)
    if not reasons and not lost:
        return
    rows = [
        [Html(f'<span class="n">{count:,}</span>'), _short(reason)]
        for reason, count in reasons.most_common(_MOST_REASONS)
    ]
    parts = [table(["trials", "why they failed"], rows)] if rows else []
    if len(reasons) > _MOST_REASONS:
        parts.append(f"<p>And {len(reasons) - _MOST_REASONS} other reasons: see <code>nonstop export</code>.</p>")
    if lost:
        parts.append(
            f"<p>{lost} trial{'s were' if lost > 1 else ' was'} taken over by another worker after a lost lease.</p>"
        )
    yield section("Failures", "".join(parts))


def _workers(usages: Sequence[Usage]) -> Iterable[str]:
    if not usages:
        return
    rows = [_worker(usage) for usage in ([*usages[:_MOST_WORKERS], overall(usages, "all workers")])]
    head = ["worker", "evaluating", "proposing", "storing", "idle", "total"]
    yield section("Where the time went", table(head, rows, numbers=True))


def _worker(usage: Usage) -> list[str]:
    total = usage.total or 1.0
    parts = (usage.evaluating, usage.proposing, usage.storing, usage.idle)
    return [usage.worker, *(share(part / total) for part in parts), duration(usage.total)]


def _pair(spec: Spec) -> str:
    """Params and facts side by side, unless names are long or many."""
    names = spec.space.names
    if spec.goals.several:
        return "pair long"
    return "pair" if len(names) <= _FEW and max(map(len, names)) <= _NARROW else "pair long"


def _resume(about: About) -> Iterable[str]:
    hint = "The same command continues where the run stopped; raise the budget to go beyond its end."
    if _PLACEHOLDER in about.resume:
        hint = (
            f"More trials, from any machine that can reach the storage: replace {_PLACEHOLDER} by your objective. "
            "--n-trials is the budget of the whole study."
        )
    yield section("Continue", f"<p>{text(hint)}</p><pre><code>{text(about.resume)}</code></pre>")


def _short(reason: str) -> str:
    return reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}…"
