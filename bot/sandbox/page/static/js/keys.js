/** The keys that work everywhere, and the focus when panes come and go. */

import { tabStops } from "../shared/dom.js";
import { closePopup } from "../shared/popup.js";

/** Esc closes what was opened last, F6 goes round the panes, Ctrl+K jumps. */
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
  if (closePopup()) event.preventDefault();
  else if (document.querySelector("dialog[open]")) return;
  else if (app.editing) app.edit(null);
  else if (app.places.closeLast()) event.preventDefault();
}

function goRound(event) {
  if (document.querySelector("dialog[open]")) return;
  event.preventDefault();
  const panes = [...document.querySelectorAll(".pane")].filter((pane) => pane.offsetParent !== null);
  const here = panes.findIndex((pane) => pane.contains(document.activeElement));
  const step = event.shiftKey ? -1 : 1;
  entrance(panes[(here + step + panes.length) % panes.length])?.focus();
}

/** If the focus was lost with its pane, it goes to the pane that is in front now. */
export function rescueFocus(root, front) {
  requestAnimationFrame(() => {
    const active = document.activeElement;
    const isLost = active === document.body || !active.checkVisibility();
    const pane = root.querySelector(`.pane-${front}`);
    if (isLost && pane && !document.querySelector("dialog[open]")) entrance(pane)?.focus();
  });
}

/** Where the focus enters a pane: the present channel, the text, or whatever comes first. */
function entrance(pane) {
  const stops = tabStops(pane);
  return (
    stops.find((stop) => stop.matches("[aria-current], .back-button")) ??
    stops.find((stop) => stop.matches("textarea")) ??
    stops[0]
  );
}
