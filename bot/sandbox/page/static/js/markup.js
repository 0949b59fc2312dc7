/** The only markup from outside: what the sandbox's server has rendered and cleaned. */

import { h } from "../shared/dom.js";

/** A text that the server has rendered and cleaned (bot/sandbox/page/text.py). */
export function texts(html, look = "text", tag = "div") {
  const node = h(tag, { class: look });
  node.innerHTML = html;
  return node;
}
