// The list of studies.
import { ago, el, pill, plural, portions, reached, share, speedOf, stack, timeLeft, write } from "./text.js";
import { follow, now } from "./live.js";

const list = document.getElementById("studies");
const cards = new Map();

const STATE_TEXTS = {
  running: (c) => `${plural(c.running + c.proposing, "trial")} under way`,
  waiting: (c) => `${plural(c.waiting, "trial")} waiting for a worker`,
  idle: () => "nothing under way",
  empty: () => "no trials yet",
};

function card(study) {
  const node = el("li", { class: "card study" },
    el("a", { href: `/studies/${study.id}` },
      el("div", { class: "who" }, el("h2"), el("p", { class: "dim" })),
      el("div", { class: "best" }, el("span", { class: "label" }, "best"), el("output")),
      el("div", { class: "progress" }, el("div", { class: "bar", "aria-hidden": "true" }), el("p", { class: "dim" })),
      el("div", { class: "state" }, el("span"), el("p", { class: "dim" }))));
  return node;
}

function fill(node, study) {
  const [who, best, progress, state] = node.firstElementChild.children;
  const c = study.counts;
  write(who.children[0], study.name);
  const dim = study.dim === null ? "" : ` ${plural(study.dim, "parameter")}`;
  write(who.children[1], `${study.goals ? `${study.goals} ·` : study.direction}${dim} · ${study.rule}`);
  write(best.children[1], study.best ? reached(study.best) : study.read ? "–" : "…");
  stack(progress.children[0], portions(c, study.budget));
  const left = study.state === "running" ? timeLeft(study.ready, now()) : "";
  const budget = study.budget ? ` of ${study.budget.toLocaleString("en")} (${share(c.completed / study.budget)})` : "";
  write(progress.children[1], `${c.completed.toLocaleString("en")}${budget} completed${c.failed ? ` · ${c.failed} failed` : ""}${left ? ` · ${left}` : ""}`);
  if (node.dataset.state !== study.state) {
    node.dataset.state = study.state;
    state.firstElementChild.replaceWith(pill(study.state));
  }
  const speed = study.state === "running" && study.per_second ? speedOf(study.per_second) : "";
  write(state.children[1], speed ? `${c.running + c.proposing} under way · ${speed}` : study.state === "idle" && study.last ? `last result ${ago(study.last, now())}` : STATE_TEXTS[study.state](c));
}

function show(studies) {
  studies.forEach((study, index) => {
    if (!cards.has(study.id)) cards.set(study.id, card(study));
    const node = cards.get(study.id);
    fill(node, study);
    if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
  });
  while (list.children.length > studies.length) list.lastElementChild.remove();
}

let latest = [];

follow(() => "/api/studies", (message) => {
  if (!message.studies) return;
  latest = message.studies;
  write(document.getElementById("storage"), message.storage);
  if (!message.loaded) return;
  document.getElementById("loading").hidden = true;
  document.getElementById("empty").hidden = latest.length > 0;
  write(document.getElementById("count"), plural(latest.length, "study", "studies"));
  show(latest);
});
setInterval(() => show(latest), 5000); // updates "3 m ago"
