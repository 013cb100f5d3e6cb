// Measurements of a page for test_legible.py: each returns what is wrong with it.

void 0; // so that the file is a program, not a function, to the driver of the browser

// Numbers whose characters are on more than one line; digits inside of words do not count.
window.broken = () => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest("script, style, svg, noscript, pre")) continue;
    for (const match of node.data.matchAll(/(?<![\w./-])[−-]?\d[\d.,]*(e[+−-]?\d+)?/g)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const lines = new Set([...range.getClientRects()].map((rect) => Math.round(rect.top)));
      if (lines.size > 1) found.push(match[0]);
    }
  }
  return found;
};

// Headings, findings and texts around the axes that are wider than their box, or leave their figure.
window.cut = () => {
  const found = [];
  for (const node of document.querySelectorAll("h1, h2, .finding, .caption, .beyond, .tiles dd, .big, .label, figcaption p")) {
    if (node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline") found.push(node.textContent);
  }
  for (const svg of document.querySelectorAll(".main-svg")) {
    const box = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll(".gtitle, .annotation-text, .infolayer [class*=title] text, .legendtext, .xtick text, .ytick text")) {
      const rect = text.getBoundingClientRect();
      if (rect.width && (rect.left < box.left - 2 || rect.right > box.right + 2)) found.push(text.textContent);
    }
  }
  return found;
};

// Pairs of labels that lie on each other: ticks of an axis, titles of axes and of panels, entries of a legend.
window.colliding = () => {
  const found = [];
  const kinds = new Map();
  const add = (key, node) => kinds.set(key, [...(kinds.get(key) ?? []), node]);
  document.querySelectorAll("[data-figure]").forEach((figure, index) => {
    for (const text of figure.querySelectorAll("[class*=tick] text")) {
      if (/rotate\((?!0)/.test(text.getAttribute("transform") ?? "")) continue; // boxes of slanted texts say nothing
      const tick = text.closest("[class*=tick]");
      if (!tick.closest(".parcoords")) add(`${index} ${tick.getAttribute("class")} ${tick.parentNode.parentNode.className.baseVal}`, text);
    }
    for (const text of figure.querySelectorAll(".infolayer [class*=title] text, .annotation-text")) add(`${index} titles`, text);
    for (const text of figure.querySelectorAll(".legendtext")) add(`${index} legend`, text);
  });
  for (const [key, texts] of kinds) {
    const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
    boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([two, b]) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 2) found.push(`${key}: ${one} / ${two}`);
    }));
  }
  return found;
};
