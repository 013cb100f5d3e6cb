// Draw each figure when it comes near the screen, so that a long page opens fast.
"use strict";
const read = (name) => JSON.parse(document.getElementById("data-" + name).textContent);
const options = read("config");
// On a touch screen, dragging over a figure scrolls the page instead of zooming.
const touch = matchMedia("(pointer: coarse)").matches;
function draw(element) {
  const figure = read(element.dataset.figure);
  if (touch) figure.layout.dragmode = false;
  Plotly.newPlot(element, figure.data, figure.layout, options);
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
// For printing, draw all figures.
addEventListener("beforeprint", () => {
  for (const element of document.querySelectorAll("[data-figure]:empty")) draw(element);
});
