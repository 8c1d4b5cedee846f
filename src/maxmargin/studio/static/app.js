// The page: rooms, light and dark, and what each room begins with.

import { $, say } from "./dom.js";
import { startModel } from "./model.js";
import { repaint, startPlayground } from "./playground.js";
import { startTables } from "./tables.js";

const TABS = ["play", "tables", "model"];

function room(name) {
  for (const each of TABS) {
    const on = each === name, tab = $(`tab-${each}`);
    tab.setAttribute("aria-selected", String(on)); tab.tabIndex = on ? 0 : -1;
    $(`room-${each}`).hidden = !on;
  }
  if (name === "play") repaint();
}

function theme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  repaint();
}

for (const name of TABS) {
  $(`tab-${name}`).addEventListener("click", () => room(name));
  $(`tab-${name}`).addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = TABS[(TABS.indexOf(name) + step + TABS.length) % TABS.length];
    room(next); $(`tab-${next}`).focus();
  });
}
const dark = window.matchMedia("(prefers-color-scheme: dark)");
theme(dark.matches);
dark.addEventListener("change", () => theme(dark.matches));
$("theme").addEventListener("click", () => theme(!document.documentElement.classList.contains("dark")));

// The token has become a cookie; the address need not show it any longer.
history.replaceState(null, "", location.pathname + location.hash);

startModel();
for (const start of [startPlayground, startTables]) start().catch((error) => say(error.message));
