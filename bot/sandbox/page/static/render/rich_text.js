// The rich_text block: sections, nested lists, code and quotes over their leaves.

import { el, fragment } from "./dom.js";
import { choice, maybe, need } from "./shapes.js";
import { leafNode } from "./text/leaves.js";
import { renderKind } from "./unknown.js";

const MAX_INDENT = 8;

const PARTS = {
  rich_text_section: (part, ctx) => el("div", { class: "k-rich-section" }, leaves(part, ctx)),
  rich_text_preformatted: (part, ctx) =>
    el("pre", { class: "k-pre", tabindex: "0" }, el("code", {}, leaves(part, ctx))),
  rich_text_quote: (part, ctx) => el("blockquote", { class: "k-quote" }, leaves(part, ctx)),
  rich_text_list: list,
};

/** The parts of a rich_text block or value. */
export function richText(block, ctx) {
  const parts = need(block, "elements", "list");
  return el(
    "div",
    { class: "k-rich" },
    parts.map((part) => renderKind("element", PARTS, part, ctx)),
  );
}

/** Rich text in one line's place: a single section without its box. */
export function richInline(block, ctx) {
  const parts = need(block, "elements", "list");
  const isLine = parts.length === 1 && parts[0]?.type === "rich_text_section";
  return isLine ? fragment(leaves(parts[0], ctx)) : richText(block, ctx);
}

function leaves(part, ctx) {
  return need(part, "elements", "list").map((leaf) => leafNode(leaf, ctx));
}

/** Slack sends each level of a nested list as a list of its own, with its indent. */
function list(part, ctx) {
  const isOrdered = choice(part, "style", ["bullet", "ordered"]) === "ordered";
  const indent = Math.min(
    MAX_INDENT,
    Math.max(0, Math.trunc(maybe(part, "indent", "number") ?? 0)),
  );
  const offset = maybe(part, "offset", "number");
  const border = maybe(part, "border", "number") ? " k-list-border" : "";
  const items = need(part, "elements", "list");
  return el(
    isOrdered ? "ol" : "ul",
    {
      class: `k-list k-indent-${indent}${border}`,
      start: isOrdered && offset ? Math.trunc(offset) + 1 : null,
    },
    items.map((item) => el("li", {}, renderKind("element", ITEMS, item, ctx))),
  );
}

const ITEMS = { ...PARTS, rich_text_section: (part, ctx) => fragment(leaves(part, ctx)) };
