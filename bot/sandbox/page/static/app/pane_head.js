/** The head of a pane beside the channel: its name, a line below, its controls, and the way out. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

/** On a phone the way out is an arrow on the left, else a cross on the right. */
export function paneHead(title, subtitle, close, controls = []) {
  const button = (look, label, iconName) =>
    h("button", {
      type: "button", class: `icon-button ${look}`, "aria-label": label, on: { click: close },
    }, icon(iconName));
  return h("header", { class: "pane-head" },
    button("back-button", "Back", "back"),
    h("div", { class: "head-words" }, h("h2", { class: "head-title", text: title }), subtitle),
    h("span", { class: "spacer" }),
    ...controls,
    button("close-button", `Close ${title.toLowerCase()}`, "close"));
}
