// Text and elements. Data always become text nodes, never markup.

/** An element with attributes and children; strings among the children stay text. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Set the text only if it differs, so that nothing is repainted, deselected or read aloud again without need. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Six digits, and a real minus sign. */
export function number(value) {
  if (value === null || value === undefined) return "–";
  const small = value !== 0 && Math.abs(value) < 1e-4;
  const text = Number.isInteger(value) ? String(value) : small ? value.toExponential(4) : String(Number(value.toPrecision(6)));
  return text.replace(/^-/, "−").replace("e-", "e−");
}

/** A parameter's value: numbers as above, text as it is, the rest as in JSON. */
export function scalar(value) {
  if (typeof value === "number") return number(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** 0.4 s, 12 s, 3 m 05 s, 2 h 07 m, 4 d 03 h */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 0.0995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 59.5) return seconds < 9.95 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) return pair(minutes, "m", Math.round(seconds) % 60, "s");
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? pair(hours, "h", minutes % 60, "m") : pair(Math.floor(hours / 24), "d", hours % 24, "h");
}

const pair = (large, unit, small, below) => `${large} ${unit} ${String(small).padStart(2, "0")} ${below}`;

/** just now, 40 s ago, 3 m ago, 2 h ago, 5 d ago */
export function ago(then, now) {
  if (then === null || then === undefined) return "";
  const seconds = now - then;
  if (seconds < 5) return "just now";
  if (seconds < 60) return `${Math.floor(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ago`;
  return seconds < 172800 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86400)} d ago`;
}

/** What a study has reached: its best value, or how large its front is. */
export function reached(best) {
  if (!best) return "–";
  if (best.feasible === false) return "none feasible";
  return best.ranges ? `front of ${best.of.toLocaleString("en")}` : number(best.value);
}

/** A percentage, rounded down, so that 100 % means all. */
export const share = (part) => (part >= 1 ? "100 %" : `${(Math.floor(part * 1000) / 10).toFixed(1)} %`);

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

const SIGNS = { completed: "●", failed: "✕", running: "▶", proposing: "◇", waiting: "○", idle: "■", empty: "○" };

/** A state is shown by a word, a sign and a colour, never by the colour alone. */
export function pill(state, text = state) {
  return el("span", { class: `pill ${state}` }, el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[state] ?? "•"), text);
}

/** The numbers of trials in a progress bar; the rest is what the budget has room for. */
export function portions(c, budget) {
  const running = c.running + c.proposing;
  return { completed: c.completed, failed: c.failed, running, waiting: c.waiting, rest: Math.max(0, (budget ?? 0) - c.completed - running - c.waiting) };
}

const short = (value) => number(value < 9.95 ? Number(value.toFixed(1)) : Math.round(value));

/** 40 results a second, 3.2 results a minute, 5 results an hour */
export function speedOf(rate) {
  const [factor, unit] = [[1, "a second"], [60, "a minute"], [3600, "an hour"]].find(([factor]) => rate * factor >= 1) ?? [86400, "a day"];
  return `${short(rate * factor)} results ${unit}`;
}

/** about 12 min left; empty if that is not known, or the time has come and gone. */
export function timeLeft(ready, now) {
  const seconds = ready === null || ready === undefined ? 0 : ready - now;
  if (seconds <= 0) return "";
  if (seconds < 90) return `about ${seconds < 10 ? Math.max(1, Math.round(seconds)) : 5 * Math.round(seconds / 5)} s left`;
  if (seconds < 5400) return `about ${Math.round(seconds / 60)} min left`;
  return seconds < 129600 ? `about ${short(seconds / 3600)} h left` : `about ${short(seconds / 86400)} days left`;
}

const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
const TODAY = new Intl.DateTimeFormat("en", CLOCK); // made once: that takes long
const EARLIER = new Intl.DateTimeFormat("en", { year: "numeric", month: "short", day: "numeric", ...CLOCK });

/** A time in the browser's zone; without the date if that is today's. */
export function stamp(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const then = new Date(seconds * 1000);
  const today = then.toDateString() === new Date().toDateString();
  return (today ? TODAY : EARLIER).format(then);
}

/** A bar of parts, each as wide as its share. */
export function stack(node, parts) {
  for (const [name, size] of Object.entries(parts)) {
    let part = node.querySelector(`.${name}`);
    if (!part) node.append((part = el("span", { class: name })));
    part.hidden = size <= 0;
    part.style.flexGrow = size;
  }
}
