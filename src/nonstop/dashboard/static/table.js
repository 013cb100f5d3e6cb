// The table of trials: sorted, filtered, and shown a page at a time so that it stays fast with many trials.
import { duration, el, number, pill, scalar, stamp, write } from "./text.js";

const PAGE = 25;
const $ = (name) => document.getElementById(name);
const COMPARISON = /^(.+?)(<=|>=|<|>|=)(.+)$/;
const HOLDS = {
  "<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
};

/** Is the parameter there? One that a choice did not bring along is an empty list. */
const there = (trial, i) => Boolean(trial.params) && !Array.isArray(trial.params[i]);

export class Table {
  constructor(trials, open) {
    this.trials = trials;
    this.open = open;
    this.page = 0;
    this.sort = { key: "number", descending: true };
    this.list = []; // columns: key, label, of(trial), text(trial)
    this.rows = new Map(); // the rows on the page, by number
    this.fresh = new Set(); // numbers of trials that arrived after the first message
    this.filled = false;
    $("filter").addEventListener("input", () => this.turn(0));
    $("filter-state").addEventListener("change", () => this.turn(0));
    $("previous").addEventListener("click", () => this.turn(this.page - 1));
    $("next").addEventListener("click", () => this.turn(this.page + 1));
  }

  /** The columns of a study: its params; its goals if outcomes have names; and what says which trials are the front. */
  columns(params, goals, front) {
    if (this.list.length) return;
    const plain = (key, label, of, text) => ({ key, label, of, text });
    const told = goals ? outcomes(goals, front) : [plain("value", "Value", (t) => t.value, (t) => number(t.value))];
    this.list = [
      plain("number", "Trial", (t) => t.number),
      plain("state", "State", (t) => t.state),
      ...told,
      ...params.map((name, i) => plain(`param ${name}`, name, (t) => (there(t, i) ? t.params[i] : null), (t) => (there(t, i) ? scalar(t.params[i]) : "–"))),
      plain("took", "Took", (t) => t.took, (t) => duration(t.took)),
      plain("started", "Started", (t) => t.started, (t) => stamp(t.started)),
      plain("finished", "Finished", (t) => t.finished, (t) => stamp(t.finished)),
      plain("worker", "Worker", (t) => t.worker, (t) => t.worker || "–"),
      plain("attempt", "Attempt", (t) => t.attempt, (t) => String(t.attempt)),
    ];
    $("columns").replaceChildren(...this.list.map((column) => this.heading(column)));
    this.draw();
  }

  heading(column) {
    const button = el("button", { type: "button", title: column.label.length > 24 ? column.label : null }, column.label, el("span", { class: "arrow", "aria-hidden": "true" }));
    button.addEventListener("click", () => {
      const { key, descending } = this.sort;
      this.sort = { key: column.key, descending: key === column.key ? !descending : column.key === "number" };
      this.turn(0);
    });
    return el("th", { scope: "col", "data-key": column.key }, button);
  }

  /** Trials are new or have changed. */
  changed(trials) {
    if (this.filled) for (const trial of trials) this.fresh.add(trial.number);
    if (trials.length) this.soon();
    this.filled ||= trials.length > 0;
  }

  soon() {
    this.frame ??= requestAnimationFrame(() => { this.frame = null; this.draw(); });
  }

  turn(page) {
    this.page = page;
    this.draw();
  }

  draw() {
    if (!this.list.length) return;
    const found = this.found();
    const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
    this.page = Math.min(Math.max(this.page, 0), last);
    const shown = found.slice(this.page * PAGE, (this.page + 1) * PAGE);
    this.update(shown);
    const from = this.page * PAGE + 1;
    const part = found.length ? `${from}–${from + shown.length - 1} of ${found.length.toLocaleString("en")}` : this.trials.size ? "No trial matches." : "No trials yet: they appear here as soon as a worker asks for one.";
    write($("range"), part + (found.length && found.length < this.trials.size ? ` (${this.trials.size.toLocaleString("en")} in all)` : ""));
    $("previous").disabled = this.page === 0;
    $("next").disabled = this.page === last;
    for (const th of $("columns").children) {
      const mine = th.dataset.key === this.sort.key;
      th.setAttribute("aria-sort", mine ? (this.sort.descending ? "descending" : "ascending") : "none");
      write(th.querySelector(".arrow"), mine ? (this.sort.descending ? "↓" : "↑") : "");
    }
    this.fresh.clear();
  }

  found() {
    const conditions = this.conditions();
    const column = this.list.find(({ key }) => key === this.sort.key);
    const sign = this.sort.descending ? -1 : 1;
    return [...this.trials.values()].filter((trial) => conditions.every((holds) => holds(trial))).sort((a, b) => compare(column.of(a), column.of(b), sign) || b.number - a.number);
  }

  /** The conditions of the filter fields: words must occur, comparisons must hold. */
  conditions() {
    const state = $("filter-state").value;
    const words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    return [...(state ? [(trial) => trial.state === state] : []), ...words.map((word) => this.condition(word))];
  }

  condition(word) {
    const [, name, sign, limit] = COMPARISON.exec(word) ?? [];
    const column = this.list.find(({ label, key }) => label.toLowerCase() === name || key === name);
    if (!column) return (trial) => this.textOf(trial).includes(word);
    return (trial) => {
      const value = column.of(trial);
      if (value === null) return false;
      return typeof value === "number" ? HOLDS[sign](value, Number(limit)) : HOLDS[sign](String(value).toLowerCase(), limit);
    };
  }

  textOf(trial) {
    return [...this.list.map(({ of, text }) => (text ? text(trial) : String(of(trial)))), trial.reason ?? ""].join(" ").toLowerCase();
  }

  /** Keep rows that stay, so that focus and selection survive; insert and remove the others. */
  update(shown) {
    const body = $("rows");
    const wanted = new Set(shown.map((trial) => trial.number));
    for (const [number, row] of this.rows) if (!wanted.has(number)) { row.remove(); this.rows.delete(number); }
    shown.forEach((trial, index) => {
      if (!this.rows.has(trial.number)) this.rows.set(trial.number, this.row(trial));
      const row = this.rows.get(trial.number);
      this.fill(row, trial);
      if (body.children[index] !== row) body.insertBefore(row, body.children[index] ?? null);
    });
  }

  row(trial) {
    const row = el("tr", {}, ...this.list.map(({ key }) => el("td", { class: key === "state" || key === "worker" ? null : "num" })));
    const button = el("button", { type: "button", class: "link", "aria-label": `Trial ${trial.number}: details` }, String(trial.number));
    row.firstElementChild.append(button);
    row.addEventListener("click", () => { if (!getSelection().toString()) this.open(trial.number); });
    if (this.fresh.has(trial.number)) row.classList.add("fresh");
    return row;
  }

  fill(row, trial) {
    this.list.forEach(({ key, text }, i) => {
      const cell = row.children[i];
      if (key === "state" && cell.dataset.state !== trial.state) {
        cell.dataset.state = trial.state;
        cell.replaceChildren(pill(trial.state));
        cell.title = trial.reason ?? "";
      } else if (text) write(cell, text(trial));
    });
  }
}

/** A column for each outcome, one that says whether they are feasible, and one that marks the front. */
function outcomes({ objectives, constraints }, front) {
  const named = [...Object.keys(objectives), ...Object.keys(constraints)];
  const columns = named.map((name, i) => ({ key: `outcome ${name}`, label: name, of: (t) => t.outcomes?.[i] ?? null, text: (t) => number(t.outcomes?.[i]) }));
  const mark = (key, label, of) => ({ key, label, of, text: (t) => of(t) ?? "–" });
  if (Object.keys(constraints).length) columns.push(mark("feasible", "Feasible", (t) => (typeof t.feasible === "boolean" ? (t.feasible ? "yes" : "no") : null)));
  if (Object.keys(objectives).length > 1) columns.push(mark("front", "Front", (t) => (front().includes(t.number) ? "yes" : null)));
  return columns;
}

/** Missing values come last in both directions. */
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en", { numeric: true });
}
