// The page of a study: the numbers at the top, the trials under way, and the parts that the other files draw.
import { Details } from "./details.js";
import { Figures } from "./figures.js";
import { follow, now } from "./live.js";
import { Table } from "./table.js";
import { ago, duration, el, number, pill, plural, portions, reached, scalar, share, speedOf, stack, timeLeft, write } from "./text.js";

const id = location.pathname.split("/")[2];
const $ = (name) => document.getElementById(name);

const trials = new Map(); // by number
let about = null;
let status = null;
let cursor = 0;

const details = new Details(id, trials);
const table = new Table(trials, (trial) => details.open(trial));
const figures = new Figures(id);

follow(
  () => `/api/studies/${id}?epoch=${encodeURIComponent(about?.epoch ?? "")}&after=${cursor}`,
  (message) => {
    if (message.about) introduce(message.about);
    if (message.trials) {
      for (const trial of message.trials) trials.set(trial.number, trial);
      table.changed(message.trials);
      details.changed(message.trials);
    }
    if (message.status) status = message.status;
    if (message.cursor !== undefined) {
      cursor = message.cursor;
      figures.advance(cursor);
    }
    draw();
  },
);

function introduce(description) {
  if (about && about.epoch !== description.epoch) location.reload(); // another storage is served at this address now
  about = description;
  document.title = `${about.name} · nonstop`;
  write($("name"), about.name);
  write($("about"), [about.goals ?? about.direction, plural(about.params.length, "parameter"), `rule ${about.rule}`].join(" · "));
  const [first, ...others] = Object.keys(about.objectives ?? { value: about.direction });
  const feasible = Object.keys(about.constraints ?? {}).length ? "feasible " : "";
  write($("best-label"), others.length ? "Pareto front" : `${about.direction === "maximize" ? "Highest" : "Lowest"} ${feasible}${first}`);
  table.columns(about.params, about.goals ? about : null, () => status?.best?.front ?? []);
  offer([...Object.keys(about.objectives ?? {}), ...Object.keys(about.constraints ?? {})]);
}

/** A choice among the outcomes, for the figures that are of one. */
function offer(outcomes) {
  if (outcomes.length < 2 || $("outcome").options.length) return;
  $("outcome").append(...outcomes.map((name) => el("option", { value: name }, name)));
  $("outcome").addEventListener("change", () => figures.choose($("outcome").value));
  $("choice").hidden = false;
}

let drawing = false;

/** Draw once per frame, however many messages arrive. */
function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    if (!status) return;
    const empty = status.state === "empty";
    $("start").hidden = !empty;
    $("main").classList.toggle("empty", empty);
    drawBest(status.best);
    drawProgress(status);
    drawUsage(status.usage);
    drawRunning();
    drawFailures(status.failures);
  });
}

function drawBest(best) {
  write($("best"), best?.ranges ? plural(best.of, "trial") : reached(best));
  write($("best-when"), best ? `${best.feasible === false ? "least violated by " : best.ranges ? "latest: " : ""}trial ${best.number} · ${ago(best.finished, now())}` : status.state === "empty" ? "no trials yet: start a worker" : "no result yet");
  const known = $("best-params");
  const key = best ? `${best.number} ${best.of}` : "";
  if (known.dataset.trial === key) return;
  known.dataset.trial = key;
  known.replaceChildren(...(best?.ranges ? ranges(best.ranges) : Object.entries({ ...kept(best), ...best?.params }).map(([name, value]) => chip(name, scalar(value), typeof value === "number"))));
}

const chip = (name, text, exact) => el("div", {}, el("dt", {}, name), el("dd", { class: exact ? "number" : null }, text));

/** What each objective is on the front. */
const ranges = (found) => Object.entries(found).map(([name, [low, high]]) => chip(name, low === high ? number(low) : `${number(low)} to ${number(high)}`, true));

/** The outcomes of the best trial that have a bound. */
const kept = (best) => Object.fromEntries(Object.keys(about?.constraints ?? {}).filter((name) => name in (best?.outcomes ?? {})).map((name) => [name, best.outcomes[name]]));

function drawProgress({ counts, state, budget, ready, per_second: rate, last, began }) {
  if ($("state").dataset.state !== state) {
    $("state").dataset.state = state;
    $("state").replaceChildren(pill(state));
  }
  write($("completed"), counts.completed.toLocaleString("en"));
  write($("of-budget"), budget ? `of ${budget.toLocaleString("en")} completed · ${share(counts.completed / budget)}` : "completed");
  stack($("progress"), portions(counts, budget));
  const under = counts.running + counts.proposing;
  legend($("counts"), { failed: `${counts.failed} failed`, running: `${under} under way`, waiting: `${counts.waiting} waiting` });
  const since = began ? `began ${ago(began, now())}` : "";
  const left = state === "running" ? timeLeft(ready, now()) : "";
  drawFeasible(counts.completed);
  const speed = state === "running" && rate ? [speedOf(rate), left || since].join(" · ") : last ? `last result ${ago(last, now())} · ${since}` : since;
  write($("rate"), speed || "\u00a0");
}

/** Of studies with constraints: how many results keep them. */
function drawFeasible(completed) {
  if (!Object.keys(about?.constraints ?? {}).length || !completed) return;
  let feasible = 0;
  for (const trial of trials.values()) feasible += trial.feasible === true;
  $("feasible").hidden = false;
  write($("feasible"), `${feasible.toLocaleString("en")} feasible (${share(feasible / completed)})`);
}

function drawUsage(usage) {
  write($("utilisation"), usage ? share(usage.share) : "–");
  write($("workers"), usage ? `${plural(usage.workers, "worker")}, ${duration(usage.evaluating)} of evaluations` : "no worker has finished a trial yet");
  if (!usage) return;
  const total = usage.evaluating + usage.proposing + usage.storing + usage.idle || 1;
  stack($("usage"), { evaluating: usage.evaluating, proposing: usage.proposing, storing: usage.storing, idle: usage.idle });
  legend($("usage-legend"), {
    evaluating: "evaluating",
    proposing: `${share(usage.proposing / total)} proposing`,
    storing: `${share(usage.storing / total)} storing`,
    idle: `${share(usage.idle / total)} idle`,
  });
}

function legend(node, texts) {
  for (const [name, text] of Object.entries(texts)) {
    let item = node.querySelector(`.${name}`);
    if (!item) node.append((item = el("li", { class: name }, el("i", { "aria-hidden": "true" }), el("span"))));
    write(item.lastElementChild, text);
  }
}

const rowsOfRunning = new Map();

/** Rows are reused, so that each second changes only the ages. */
function drawRunning() {
  const under = [...trials.values()].filter((t) => t.state === "running" || t.state === "proposing").sort((a, b) => (a.started ?? a.asked) - (b.started ?? b.asked));
  const body = $("running");
  const present = new Set(under.map((trial) => trial.number));
  for (const [number, row] of rowsOfRunning) if (!present.has(number)) { row.remove(); rowsOfRunning.delete(number); }
  under.forEach((trial, index) => {
    if (!rowsOfRunning.has(trial.number)) rowsOfRunning.set(trial.number, runningRow(trial));
    const row = rowsOfRunning.get(trial.number);
    fillRunning(row, trial);
    if (body.children[index] !== row) body.insertBefore(row, body.children[index] ?? null);
  });
  $("none-running").hidden = under.length > 0;
  $("running-table").hidden = under.length === 0;
}

function runningRow(trial) {
  const button = el("button", { type: "button", class: "link" }, String(trial.number));
  button.addEventListener("click", () => details.open(trial.number));
  return el("tr", {}, el("td", {}, button), el("td"), el("td", { class: "num" }), el("td", { class: "clip" }));
}

function fillRunning(row, trial) {
  const [, worker, age, params] = row.children;
  const silent = status.silent?.[trial.number];
  write(worker, [trial.worker || "–", trial.attempt > 1 ? `attempt ${trial.attempt}` : "", silent ? `no heartbeat for ${duration(silent)}` : ""].filter(Boolean).join(" · "));
  row.classList.toggle("silent", Boolean(silent));
  const since = trial.started ?? trial.asked;
  write(age, since ? duration(Math.max(0, now() - since)) : "–");
  write(params, trial.params ? trial.params.map((value, i) => (Array.isArray(value) ? "" : `${about.params[i]}=${scalar(value)}`)).filter(Boolean).join(", ") : "proposing …");
}

function drawFailures(failures) {
  const key = JSON.stringify(failures);
  const body = $("failures");
  if (body.dataset.key === key) return;
  body.dataset.key = key;
  body.replaceChildren(...failures.map(({ reason, count }) => el("tr", {}, el("td", { class: "num" }, String(count)), el("td", {}, reason))));
  $("none-failed").hidden = failures.length > 0;
  $("failures-table").hidden = failures.length === 0;
}

setInterval(draw, 1000); // updates the ages
