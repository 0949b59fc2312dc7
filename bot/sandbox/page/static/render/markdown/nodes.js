// Markdown's blocks as DOM nodes.

import { el, fragment } from "../dom.js";
import { inline } from "./inline.js";

const HEADING = { class: "k-md-heading", role: "heading" };

const KINDS = {
  heading: (block, ctx) =>
    el("p", { ...HEADING, "aria-level": block.level }, inline(block.text, ctx)),
  paragraph: (block, ctx) => el("p", { class: "k-p" }, inline(block.text, ctx)),
  code: (block) =>
    el("pre", { class: "k-pre", tabindex: "0" }, el("code", languageOf(block), block.text)),
  quote: (block, ctx) => el("blockquote", { class: "k-quote" }, renderBlocks(block.blocks, ctx)),
  rule: () => el("hr", { class: "k-divider" }),
  list,
  table,
};

/** The nodes of the blocks, in order. */
export function renderBlocks(blocks, ctx) {
  return blocks.map((block) => KINDS[block.kind](block, ctx));
}

function languageOf({ language }) {
  return /^[\w+#.-]{1,30}$/.test(language) ? { "data-language": language } : {};
}

function list(block, ctx) {
  const items = block.items.map((item) => listItem(item, block, ctx));
  const start = block.isOrdered && block.start !== 1 ? block.start : null;
  return el(block.isOrdered ? "ol" : "ul", { class: "k-list", start }, items);
}

function listItem(item, { isLoose }, ctx) {
  const content = isLoose ? renderBlocks(item.blocks, ctx) : item.blocks.map((b) => tight(b, ctx));
  if (item.checked === null) return el("li", {}, content);
  const box = el("input", { type: "checkbox", disabled: true, checked: item.checked });
  box.setAttribute("aria-label", item.checked ? "done" : "open");
  return el("li", { class: "k-task-item" }, box, el("div", {}, content));
}

function tight(block, ctx) {
  return block.kind === "paragraph"
    ? fragment(inline(block.text, ctx))
    : KINDS[block.kind](block, ctx);
}

function table({ head, alignments, rows }, ctx) {
  const cell = (tag) => (text, column) =>
    el(
      tag,
      { class: `k-${alignments[column]}`, scope: tag === "th" ? "col" : null },
      inline(text, ctx),
    );
  const body = rows.map((row) => el("tr", {}, row.map(cell("td"))));
  return el(
    "div",
    { class: "k-table-scroll", tabindex: "0", role: "group", "aria-label": "Table" },
    el(
      "table",
      { class: "k-table" },
      el("thead", {}, el("tr", {}, head.map(cell("th")))),
      el("tbody", {}, body),
    ),
  );
}
