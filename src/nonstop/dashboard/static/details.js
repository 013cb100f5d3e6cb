// The dialog with all fields of one trial: params, value, notes, attempts, times, reason of failure, diagnostics.
import { fetched } from "./live.js";
import { duration, el, number, pill, scalar } from "./text.js";

const $ = (name) => document.getElementById(name);

export class Details {
  constructor(study, trials) {
    this.study = study;
    this.trials = trials;
    this.number = null;
    this.dialog = $("detail");
    $("detail-close").addEventListener("click", () => this.dialog.close());
    $("detail-before").addEventListener("click", () => this.step(-1));
    $("detail-after").addEventListener("click", () => this.step(1));
    this.dialog.addEventListener("close", () => { this.number = null; });
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
    this.dialog.addEventListener("keydown", (event) => {
      if (event.key === "ArrowLeft") this.step(-1);
      if (event.key === "ArrowRight") this.step(1);
    });
  }

  step(by) {
    if (this.trials.has(this.number + by)) this.open(this.number + by);
  }

  async open(trial) {
    this.number = trial;
    if (!this.dialog.open) this.dialog.showModal();
    $("detail-before").disabled = !this.trials.has(trial - 1);
    $("detail-after").disabled = !this.trials.has(trial + 1);
    try {
      const found = await fetched(`/api/studies/${this.study}/trials/${trial}`);
      if (this.number === trial) this.show(found);
    } catch (error) {
      if (this.number === trial) $("detail-body").replaceChildren(el("p", { class: "blank" }, error.message));
    }
  }

  changed(trials) {
    if (this.number !== null && trials.some((trial) => trial.number === this.number)) this.open(this.number);
  }

  show(trial) {
    $("detail-title").replaceChildren(`Trial ${trial.number}`, pill(trial.state));
    const order = trial.order === null ? null : `${trial.order}${suffix(trial.order)} result`;
    $("detail-body").replaceChildren(
      ...section("Result", [
        ...(Object.keys(trial.outcomes ?? {}).length ? Object.entries(trial.outcomes).map(([name, value]) => [name, exact(value)]) : [["value", trial.value === null ? "none" : String(trial.value)]]),
        ["order", order],
        ["known when proposed", trial.version < 0 ? "added from outside" : `${trial.version} results`],
      ]),
      ...(trial.reason ? [el("h3", {}, trial.state === "failed" ? "Why it failed" : "Reason of the last failed attempt"), el("pre", { class: "reason" }, trial.reason)] : []),
      ...section("Params", Object.entries(trial.params ?? { "": "not proposed yet" }).map(([name, value]) => [name, exact(value)])),
      ...section("Notes", Object.entries(trial.notes ?? {}).map(([name, value]) => [name, exact(value)])),
      ...section("Execution", [
        ["worker", trial.worker || "unknown"],
        ["attempt", String(trial.attempt)],
        ["asked", clock(trial.asked)],
        ["started", clock(trial.started)],
        ["finished", clock(trial.finished)],
        ["took", trial.took === null ? null : duration(trial.took)],
        ["seed", trial.seed],
      ]),
      ...section("Diagnostics of the proposal", Object.entries(trial.diagnostics).map(([name, value]) => (name === "predictions" ? ["predictions (mean ± sd)", value.map(({ mean, sd }) => `${number(mean)} ± ${number(sd)}`).join(", ")] : [name, written(value)]))),
    );
  }
}

function section(title, pairs) {
  const known = pairs.filter(([, text]) => text !== null);
  if (!known.length) return [];
  return [el("h3", {}, title), el("dl", { class: "facts" }, ...known.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", { class: isNaN(text) ? null : "number" }, text))))];
}

const exact = (value) => (typeof value === "string" ? value : JSON.stringify(value));

const clock = (seconds) => (seconds === null ? null : new Date(seconds * 1000).toLocaleString());

function written(value) {
  if (Array.isArray(value)) return value.length ? value.map(written).join(", ") : "none";
  return value === null ? "none" : typeof value === "number" ? number(value) : scalar(value);
}

const suffix = (n) => (n % 100 > 10 && n % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][n % 10] ?? "th");
