// Draw each figure when it comes near the screen, so that a long page opens fast; sort the table of trials.
"use strict";
const read = (name) => JSON.parse(document.getElementById("data-" + name).textContent);
const options = read("config");
// On a touch screen, dragging over a figure scrolls the page instead of zooming.
const touch = matchMedia("(pointer: coarse)").matches;
if (touch) options.displayModeBar = false;
function draw(element) {
  const figure = read(element.dataset.figure);
  if (touch) figure.layout.dragmode = false;
  const [menu] = figure.layout.updatemenus ?? [];
  delete figure.layout.updatemenus; // the page has a button instead
  Plotly.newPlot(element, figure.data, figure.layout, options);
  const button = element.closest(".variant, section").querySelector(".switch");
  if (menu && button) offer(button, (all) => Plotly.update(element, ...structuredClone(menu.buttons[Number(all)].args)));
}
// A switch between the usual values and all of them.
function offer(button, show) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const all = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", all);
    button.textContent = all ? "Show the usual values" : "Show all values";
    show(all);
  });
}
const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) {
        observer.unobserve(entry.target);
        draw(entry.target);
      }
    }
  },
  { rootMargin: "800px" },
);
for (const element of document.querySelectorAll("[data-figure]")) observer.observe(element);
// Of figures with a button for each outcome, one is shown.
for (const button of document.querySelectorAll("[data-shows]")) {
  button.addEventListener("click", () => {
    const section = button.closest("section");
    for (const other of section.querySelectorAll("[data-shows]")) other.setAttribute("aria-pressed", other === button);
    for (const part of section.querySelectorAll(".variant")) part.hidden = part.dataset.variant !== button.dataset.shows;
  });
}
// For printing, draw all figures.
addEventListener("beforeprint", () => {
  for (const element of document.querySelectorAll("[data-figure]:empty")) if (!element.closest("[hidden]")) draw(element);
});
// A click on a heading sorts: numbers by size, everything else as text, and what is missing comes last.
for (const table of document.querySelectorAll("table.trials")) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sort(table, heading, column));
  });
}
function sort(table, heading, column) {
  const down = heading.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const keys = new Map();
  for (const row of table.tBodies[0].rows) {
    const cell = row.cells[column];
    const text = cell.dataset.v ?? cell.textContent;
    keys.set(row, text === "–" || text === "" ? null : isNaN(text) ? text : Number(text));
  }
  const sign = down ? -1 : 1;
  const rows = [...keys.keys()].sort((one, two) => {
    const [a, b] = [keys.get(one), keys.get(two)];
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  });
  table.tBodies[0].append(...rows);
}
