/** The button that opens and closes the panel of API calls. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

export function callsButton(app) {
  return h("button", {
    type: "button", class: "button is-small head-calls", "aria-pressed": "false",
    on: { click: () => app.places.toggleCalls() },
  }, icon("pulse"), h("span", { text: "API calls" }));
}
