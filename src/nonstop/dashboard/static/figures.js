// Figures: drawn when they come into view, updated in place, in the colours of the page.
import { fetched } from "./live.js";
import { el, write } from "./text.js";

const ROOM = 1.25; // a figure taller than its card by more than this factor scrolls; others shrink to fit
const NARROW = 480; // pixels: a phone
const TITLE = 30; // pixels of a title in the figure
const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: "reset" };

/** Plotly has five megabytes: it is loaded after the numbers are on the page. */
let loading = null;
function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = el("script", { src: "/plotly.js" });
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => { loading = null; script.remove(); reject(new Error("Plotly could not be loaded.")); };
    document.head.append(script);
  });
  return loading;
}

export class Figures {
  constructor(study) {
    this.study = study;
    this.cursor = 0;
    this.all = [...document.querySelectorAll("[data-figure]")].map((node) => new Figure(study, node));
    this.watch = new IntersectionObserver((entries) => {
      for (const entry of entries) this.of(entry.target).seen(entry.isIntersecting);
    }, { rootMargin: "200px" });
    for (const figure of this.all) this.watch.observe(figure.node);
    document.documentElement.addEventListener("themechange", () => this.all.forEach((figure) => figure.draw()));
    this.caption();
  }

  async caption() {
    try {
      const captions = await fetched(`/api/studies/${this.study}/figures`);
      this.complete(Object.keys(captions));
      for (const figure of this.all) {
        const { title, caption, by_outcome: byOutcome } = captions[figure.node.dataset.figure];
        write(figure.node.querySelector("h2"), title);
        write(figure.node.querySelector(".caption"), caption);
        figure.byOutcome = byOutcome;
      }
    } catch {
      setTimeout(() => this.caption(), 2000);
    }
  }

  /** Add the figures that only some studies have, at the top or after the first one. */
  complete(names) {
    const top = document.getElementById("figures");
    for (const name of names) {
      if (this.all.some(({ node }) => node.dataset.figure === name)) continue;
      const node = this.all[0].node.cloneNode(true);
      node.dataset.figure = name;
      const figure = new Figure(this.study, node);
      top.insertBefore(node, top.children[names.indexOf(name)] ?? null);
      this.all.push(figure);
      this.watch.observe(node);
      figure.request(this.cursor);
    }
  }

  /** Figures of one outcome show this one. */
  choose(outcome) {
    this.all.filter((figure) => figure.byOutcome).forEach((figure) => figure.choose(outcome));
  }

  of(node) {
    return this.all.find((figure) => figure.node === node);
  }

  /** There is new data up to this cursor. */
  advance(cursor) {
    this.cursor = cursor;
    this.all.forEach((figure) => figure.request(cursor));
  }
}

class Figure {
  constructor(study, node) {
    this.node = node;
    this.plot = node.querySelector(".plot");
    this.url = `/api/studies/${study}/figures/${node.dataset.figure}`;
    this.visible = false;
    this.wanted = null; // the cursor of the data
    this.drawn = null; // the cursor of the figure on the page
    this.figure = null;
    this.next = 0; // do not fetch before this time
    this.timer = null;
    this.fetching = false;
    this.byOutcome = false; // can it be of any outcome?
    this.outcome = null; // of which one, if not of the first
    this.all = false; // show all values, or only the usual ones?
    this.button = node.querySelector(".switch");
    this.button.addEventListener("click", () => { this.all = !this.all; this.draw(); });
    this.message("Drawing …");
  }

  seen(visible) {
    this.visible = visible;
    this.update();
  }

  choose(outcome) {
    this.outcome = outcome;
    this.drawn = null;
    this.next = 0;
    if (this.timer && !this.fetching) { // it waits only until the next one is due
      clearTimeout(this.timer);
      this.timer = null;
    }
    this.update();
  }

  request(cursor) {
    this.wanted = cursor;
    this.update();
  }

  /** Fetch if it is in view and out of date, but not more often than the server allows. */
  update() {
    if (!this.visible || this.wanted === null || this.wanted === this.drawn || this.timer) return;
    this.timer = setTimeout(() => this.fetch(), Math.max(0, this.next - Date.now()));
  }

  async fetch() {
    let pause = 5;
    const { outcome } = this;
    this.fetching = true;
    try {
      const query = outcome === null ? "" : `?outcome=${encodeURIComponent(outcome)}`;
      const [Plotly, answer] = await Promise.all([plotly(), fetched(this.url + query)]);
      if (outcome !== this.outcome) answer.cursor = null; // another one was chosen meanwhile
      pause = outcome === this.outcome ? answer.pause : 0;
      this.drawn = answer.cursor;
      this.figure = answer.figure;
      this.Plotly = Plotly;
      await this.draw();
    } catch (error) {
      if (!this.figure) this.message(error.message);
    }
    this.next = Date.now() + 1000 * pause;
    this.fetching = false;
    this.timer = null;
    this.update();
  }

  async draw() {
    if (!this.figure) return;
    if (!this.canvas) {
      this.canvas = el("div", { class: "canvas" });
      this.plot.replaceChildren(this.canvas);
    }
    const { data, layout } = this.figure;
    const [menu] = layout.updatemenus ?? [];
    this.say(layout.meta ?? {}, menu);
    this.canvas.style.minWidth = layout.meta?.width ? `${layout.meta.width}px` : "";
    const shown = viewed(data, themed(layout, this.plot), menu?.buttons[Number(this.all)].args);
    await this.Plotly.react(this.canvas, shown.data, shown.layout, CONFIG);
  }

  /** What the figure says this time, and what is beyond its axes. */
  say({ title = "", note = "" }, menu) {
    write(this.node.querySelector(".finding"), title || "\u00a0");
    write(this.node.querySelector(".beyond"), note ? `${note[0].toUpperCase()}${note.slice(1)}.` : "");
    this.button.hidden = !menu;
    this.button.setAttribute("aria-pressed", this.all);
    write(this.button, this.all ? "Show the usual values" : "Show all values");
  }

  message(text) {
    this.plot.replaceChildren(el("p", { class: "blank" }, text));
  }
}

/** The figure in the view of a button of its menu, which the page shows as a button of its own. */
function viewed(data, layout, [restyle, relayout, traces] = [{}, {}, []]) {
  delete layout.updatemenus;
  for (const [path, value] of Object.entries(relayout)) {
    const [axis, key] = path.split(".");
    layout[axis][key] = value;
  }
  return { data: data.map((trace, index) => (traces.includes(index) ? { ...trace, ...restyle } : trace)), layout };
}

/** The layout in the colours and the size of the page. The card's height never changes. */
function themed(layout, plot) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const themedLayout = structuredClone(layout);
  const tall = themedLayout.height > ROOM * plot.clientHeight ? themedLayout.height : plot.clientHeight;
  Object.assign(themedLayout, {
    height: tall, autosize: true, uirevision: "keep",
    hoverlabel: { ...themedLayout.hoverlabel, bgcolor: colour("--card"), bordercolor: colour("--line"), font: { color: colour("--ink") } },
  });
  if (themedLayout.meta) { // the page shows the title as text, which can wrap
    themedLayout.title = { text: "" };
    themedLayout.margin = { ...themedLayout.margin, t: Math.max(16, (themedLayout.margin?.t ?? 56) - TITLE) };
  }
  if (plot.clientWidth < NARROW) {
    themedLayout.legend = { ...themedLayout.legend, font: { size: 11 } };
    themedLayout.margin = { ...themedLayout.margin, l: 40, r: 12 };
  }
  themedLayout.font = { ...themedLayout.font, family: style.fontFamily, color: colour("--dim") };
  return themedLayout;
}
