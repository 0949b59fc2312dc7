/** The focus when panes come and go: it never stays on something that cannot be seen. */

import { tabStops } from "./dom.js";

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
export function entrance(pane) {
  const stops = tabStops(pane);
  return (
    stops.find((stop) => stop.matches("[aria-current], .back-button")) ??
    stops.find((stop) => stop.matches("textarea")) ??
    stops[0]
  );
}
