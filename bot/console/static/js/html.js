/** Texts that the server made into safe HTML: see bot/console/markup.py. */

import { h } from "../shared/dom.js";

/** Keeps an element in step with a text that grows: blocks that stay the same keep their nodes, so a selection lasts. */
export class HtmlView {
  constructor(look = "text") {
    this.node = h("div", { class: `${look} markdown` });
  }

  update(html) {
    if (html === this.html) return;
    this.html = html;
    const template = document.createElement("template");
    template.innerHTML = html;
    const nodes = [...template.content.childNodes];
    let kept = 0;
    while (kept < nodes.length && this.node.childNodes[kept]?.isEqualNode(nodes[kept])) kept += 1;
    while (this.node.childNodes.length > kept) this.node.lastChild.remove();
    this.node.append(...nodes.slice(kept));
  }
}
