// Figures: drawn when they come into view, brought up to date in place, in the colours of the page.
import { fetched } from "./live.js";
import { el, write } from "./text.js";

const ROOM = 1.6; // a figure that would be taller than its card by more than this scrolls; others fit themselves in
const NARROW = 480; // pixels: a phone
const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: "reset" };

/** Plotly weighs five megabytes: it is asked for after the numbers are on the page. */
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
    this.cursor = 0;
    this.all = [...document.querySelectorAll("[data-figure]")].map((node) => new Figure(study, node));
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) this.of(entry.target).seen(entry.isIntersecting);
    }, { rootMargin: "200px" });
    for (const figure of this.all) seen.observe(figure.node);
    document.documentElement.addEventListener("themechange", () => this.all.forEach((figure) => figure.draw()));
    this.caption();
  }

  async caption() {
    try {
      const words = await fetched("/api/figures");
      for (const { node } of this.all) {
        write(node.querySelector("h2"), words[node.dataset.figure].title);
        write(node.querySelector("p"), words[node.dataset.figure].caption);
      }
    } catch {
      setTimeout(() => this.caption(), 2000);
    }
  }

  of(node) {
    return this.all.find((figure) => figure.node === node);
  }

  /** The study has come to this cursor. */
  advance(cursor) {
    this.all.forEach((figure) => figure.wants(cursor));
  }
}

class Figure {
  constructor(study, node) {
    this.node = node;
    this.plot = node.querySelector(".plot");
    this.url = `/api/studies/${study}/figures/${node.dataset.figure}`;
    this.visible = false;
    this.wanted = null; // the cursor of the study
    this.drawn = null; // the cursor of the picture
    this.figure = null;
    this.next = 0; // not before this time
    this.timer = null;
    this.say("Drawing …");
  }

  seen(visible) {
    this.visible = visible;
    this.update();
  }

  wants(cursor) {
    this.wanted = cursor;
    this.update();
  }

  /** Fetch if it is in view and old, but not more often than the server likes. */
  update() {
    if (!this.visible || this.wanted === null || this.wanted === this.drawn || this.timer) return;
    this.timer = setTimeout(() => this.fetch(), Math.max(0, this.next - Date.now()));
  }

  async fetch() {
    let pause = 5;
    try {
      const [Plotly, answer] = await Promise.all([plotly(), fetched(this.url)]);
      pause = answer.pause;
      this.drawn = answer.cursor;
      this.figure = answer.figure;
      this.Plotly = Plotly;
      await this.draw();
    } catch (error) {
      if (!this.figure) this.say(error.message);
    }
    this.next = Date.now() + 1000 * pause;
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
    await this.Plotly.react(this.canvas, data, dressed(layout, this.plot), CONFIG);
  }

  say(text) {
    this.plot.replaceChildren(el("p", { class: "blank" }, text));
  }
}

/** The layout in the colours and the size of the page. The card's height never changes. */
function dressed(layout, plot) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const worn = structuredClone(layout);
  const tall = worn.height > ROOM * plot.clientHeight ? worn.height : plot.clientHeight;
  Object.assign(worn, {
    height: tall, autosize: true, uirevision: "keep",
    hoverlabel: { ...worn.hoverlabel, bgcolor: colour("--card"), bordercolor: colour("--line"), font: { color: colour("--ink") } },
  });
  if (plot.clientWidth < NARROW) {
    worn.title = { ...worn.title, font: { size: 12 } };
    worn.legend = { ...worn.legend, font: { size: 11 } };
    worn.margin = { ...worn.margin, l: 40, r: 12 };
  }
  worn.font = { ...worn.font, family: style.fontFamily, color: colour("--dim") };
  return worn;
}
