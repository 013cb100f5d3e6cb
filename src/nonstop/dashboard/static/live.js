// Listen to the server: take up again after every interruption, and say what is wrong meanwhile.
import { el, write } from "./text.js";

const RETRY = 1000; // milliseconds
const SILENCE = 30000; // the server says something every 10 s: after this, the connection is dead without knowing it

let offset = 0; // of the server's clock, in seconds

/** The server's time, in seconds. */
export const now = () => Date.now() / 1000 + offset;

/** Call hear(message) for all that is said at address(), which is asked for anew at each connection. */
export function follow(address, hear) {
  let source = null;
  let heard = 0;

  const connect = () => {
    source = new EventSource(address());
    heard = Date.now();
    source.onmessage = (event) => {
      const message = JSON.parse(event.data);
      heard = Date.now();
      if (message.now !== undefined) {
        offset = message.now - Date.now() / 1000;
        state(message.trouble ? "trouble" : "live", message.trouble);
      }
      hear(message);
    };
    source.onerror = () => again();
  };

  const again = () => {
    source?.close();
    source = null;
    state("lost");
    setTimeout(() => { if (!source && !document.hidden) connect(); }, RETRY);
  };

  // A browser grants six connections to a server: pages nobody looks at give theirs back.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) connect();
  });
  addEventListener("pagehide", () => { source?.close(); source = null; });
  setInterval(() => { if (source && Date.now() - heard > SILENCE) again(); }, 5000);
  connect();
}

const SAID = { live: "live", lost: "offline", trouble: "no storage", connecting: "connecting" };

function state(name, detail) {
  const badge = document.getElementById("live");
  badge.className = `live ${name}`;
  write(badge.lastElementChild, SAID[name]);
  const notice = document.getElementById("notice");
  notice.hidden = name === "live";
  if (name === "lost") tell(notice, "The dashboard’s server does not answer.", "Is `nonstop dashboard` still running? Trying again every second.");
  if (name === "trouble") tell(notice, "The storage cannot be read.", `${detail} — Trying again; what you see is how it stood before.`);
}

function tell(notice, title, text) {
  if (notice.textContent !== title + text) notice.replaceChildren(el("strong", {}, title), el("span", {}, text));
}

/** What the server answers to a request for JSON; an Error with its words if it refuses. */
export async function fetched(url) {
  const response = await fetch(url);
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? `the server answered ${response.status}`);
  return body;
}
