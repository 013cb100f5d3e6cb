// The connection to the server: reconnect after every interruption, and show what is wrong meanwhile.
import { el, write } from "./text.js";

const RETRY = 1000; // milliseconds
const SILENCE = 30000; // the server sends a message at least every 10 s: after this long, the connection is dead

let offset = 0; // of the server's clock, in seconds

/** The server's time, in seconds. */
export const now = () => Date.now() / 1000 + offset;

/** Call receive(message) for every message from address(), which is computed anew for each connection. */
export function follow(address, receive) {
  let source = null;
  let received = 0;

  const connect = () => {
    source = new EventSource(address());
    received = Date.now();
    source.onmessage = (event) => {
      const message = JSON.parse(event.data);
      received = Date.now();
      if (message.now !== undefined) {
        offset = message.now - Date.now() / 1000;
        state(message.trouble ? "trouble" : "live", message.trouble);
      }
      receive(message);
    };
    source.onerror = () => reconnect();
  };

  const reconnect = () => {
    source?.close();
    source = null;
    state("lost");
    setTimeout(() => { if (!source && !document.hidden) connect(); }, RETRY);
  };

  // A browser allows six connections to a server: hidden pages close theirs.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) connect();
  });
  addEventListener("pagehide", () => { source?.close(); source = null; });
  setInterval(() => { if (source && Date.now() - received > SILENCE) reconnect(); }, 5000);
  connect();
}

const LABELS = { live: "live", lost: "offline", trouble: "storage error", connecting: "connecting" };

function state(name, detail) {
  const badge = document.getElementById("live");
  badge.className = `live ${name}`;
  write(badge.lastElementChild, LABELS[name]);
  const notice = document.getElementById("notice");
  notice.hidden = name === "live";
  if (name === "lost") notify(notice, "The dashboard’s server does not answer.", "Is `nonstop dashboard` still running? Trying again every second.");
  if (name === "trouble") notify(notice, "The storage cannot be read.", `${detail} — Trying again; the page shows the last known state.`);
}

function notify(notice, title, text) {
  if (notice.textContent !== title + text) notice.replaceChildren(el("strong", {}, title), el("span", {}, text));
}

/** The JSON that the server returns; throws an Error with its message if it refuses. */
export async function fetched(url) {
  const response = await fetch(url);
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? `the server answered ${response.status}`);
  return body;
}
