// Draw each figure from the data beside it, when it comes near the screen: a long page opens at once.
"use strict";
const read = (name) => JSON.parse(document.getElementById("data-" + name).textContent);
const options = read("config");
// A finger on a figure scrolls the page; only a mouse zooms.
const finger = matchMedia("(pointer: coarse)").matches;
function draw(place) {
  const figure = read(place.dataset.figure);
  if (finger) figure.layout.dragmode = false;
  Plotly.newPlot(place, figure.data, figure.layout, options);
}
const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) {
        watcher.unobserve(entry.target);
        draw(entry.target);
      }
    }
  },
  { rootMargin: "800px" },
);
for (const place of document.querySelectorAll("[data-figure]")) watcher.observe(place);
// On paper there is no scrolling.
addEventListener("beforeprint", () => {
  for (const place of document.querySelectorAll("[data-figure]:empty")) draw(place);
});
