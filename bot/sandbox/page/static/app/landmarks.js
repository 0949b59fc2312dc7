/** Where the window has no room for the channel, its name still heads the page for screen readers. */

import { h, setText, show } from "./dom.js";

/** Stands in for the middle pane, unseen, while that pane is not shown. */
export class MainStandIn {
  constructor() {
    this.title = h("h1");
    this.node = h("main", { class: "visually-hidden", "aria-label": "Channel", hidden: true }, this.title);
  }

  /** `pane` is the middle pane after the page was laid out, `name` what it shows. */
  update(pane, name) {
    setText(this.title, name);
    show(this.node, !pane.checkVisibility());
  }
}
