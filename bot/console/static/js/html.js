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

const BLOCKS = "p, h4, li, tr, pre";
/** Markup of words that are still under way: a link without its end, emphasis that is not closed. */
const UNFINISHED = [[/!?\[([^\]]*)(\](\([^)\s]*)?)?$/, "$1"], [/\*\*|__|~~|`|^#+\s*|^\s*[-*+>]\s+/g, ""], [/\s*\|\s*/g, " · "], [/^( · )+|( · )+$/g, ""], [/ ?https?:\S*$/, ""]];

/**
 * A text in one line: its first words, or of one that grows the newest sentence, from that sentence's beginning.
 * Addresses and headings are left out.
 */
export function lineOf(html, { isGrowing = false } = {}) {
  const template = document.createElement("template");
  template.innerHTML = html ?? "";
  for (const host of template.content.querySelectorAll(".link-host")) host.remove();
  const blocks = [...template.content.querySelectorAll(BLOCKS)].filter((block) => !block.querySelector(BLOCKS));
  const texts = blocks.filter((block) => isGrowing || (block.tagName !== "H4" && !block.closest("thead")));
  const block = (isGrowing ? texts.at(-1) : texts[0]) ?? blocks[0];
  if (!block) return "";
  const cells = [...block.children].filter(({ tagName }) => ["TD", "TH"].includes(tagName));
  const whole = cells.length ? cells.map((cell) => cell.textContent).filter(Boolean).join(" · ") : block.textContent;
  const text = UNFINISHED.reduce((words, [markup, instead]) => words.replace(markup, instead), whole.replace(/\s+/g, " ").trim());
  return isGrowing ? text.split(/(?<=[.!?…]["”»)]?)\s+(?=\S)/).at(-1) : text;
}
