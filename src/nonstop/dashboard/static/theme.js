// Runs before the first paint: apply the theme that was chosen on this page, else that of the system.
"use strict";
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try { chosen = localStorage.getItem("theme"); } catch { /* private mode: use the system's theme */ }

  const apply = () => { root.dataset.theme = chosen ?? (system.matches ? "dark" : "light"); };

  const toggle = () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("theme", chosen); } catch { /* private mode: forgotten when the page is closed */ }
    apply();
    root.dispatchEvent(new Event("themechange"));
  };

  apply();
  system.addEventListener("change", () => { apply(); root.dispatchEvent(new Event("themechange")); });
  document.addEventListener("click", (event) => { if (event.target.closest("#theme")) toggle(); });
})();
