/** The keys that work everywhere: Esc closes what was opened last, F6 goes round the panes, Ctrl+K jumps. */

import { entrance } from "./focus.js";
import { closePopup } from "./popup.js";

export function listenToKeys(app) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    if (event.key === "Escape") escape(event, app);
    else if (event.key === "F6") goRound(event);
    else if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      app.openSwitcher();
    }
  });
}

/** In order: popup, modal (the dialog's own), editor, panes. */
function escape(event, app) {
  if (closePopup()) return event.preventDefault();
  if (document.querySelector("dialog[open]")) return undefined;
  if (app.editing) return app.edit(null);
  if (app.places.closeLast()) event.preventDefault();
  return undefined;
}

function goRound(event) {
  if (document.querySelector("dialog[open]")) return;
  event.preventDefault();
  const panes = [...document.querySelectorAll(".pane")].filter((pane) => pane.offsetParent !== null);
  const here = panes.findIndex((pane) => pane.contains(document.activeElement));
  const step = event.shiftKey ? -1 : 1;
  const pane = panes[(here + step + panes.length) % panes.length];
  entrance(pane)?.focus();
}
