// The table block, and the cells that it shares with data tables.

import { el, fragment } from "../dom.js";
import { element } from "../elements.js";
import { richInline } from "../rich_text.js";
import { isObject, Malformed, maybe, need } from "../shapes.js";
import { renderKind } from "../unknown.js";

const ALIGNMENTS = ["left", "center", "right"];

const CELLS = {
  raw_text: (cell) => fragment(need(cell, "text", "string")),
  raw_number: (cell) => fragment(numberText(cell)),
  rich_text: (cell, place) => richInline(cell, place.ctx),
  button: (cell, place) => element(cell, place),
};

/** What a cell shows. */
export function cellContent(cell, place) {
  return renderKind("cell", CELLS, cell, place);
}

function numberText(cell) {
  const text = maybe(cell, "text", "string");
  return text ?? need(cell, "value", "number").toLocaleString("en-US");
}

/** The rows of a table, each of them a list. */
export function rowsOf(block) {
  const rows = need(block, "rows", "list");
  if (!rows.every(Array.isArray)) throw new Malformed("a row is no list");
  return rows;
}

/** A table with its first row as the head. */
export function table(block, ctx) {
  const rows = rowsOf(block);
  const settings = maybe(block, "column_settings", "list") ?? [];
  const place = { ctx, blockId: block.block_id, fires: true };
  const cell = (tag) => (content, column) =>
    el(
      tag,
      { class: cellClass(settings[column], content), scope: tag === "th" ? "col" : null },
      cellContent(content, place),
    );
  const [head = [], ...body] = rows;
  return scrolled(
    el(
      "table",
      { class: "k-table" },
      el("thead", {}, el("tr", {}, head.map(cell("th")))),
      el(
        "tbody",
        {},
        body.map((row) => el("tr", {}, row.map(cell("td")))),
      ),
    ),
    "Table",
  );
}

function cellClass(setting, content) {
  const align =
    isObject(setting) && ALIGNMENTS.includes(setting.align) ? setting.align : alignOf(content);
  const wraps = isObject(setting) && setting.is_wrapped === true;
  return `k-${align}${wraps ? "" : " k-no-wrap"}`;
}

/** How a cell stands when nothing is said about its column. */
export function alignOf(content) {
  return content?.type === "raw_number" ? "right" : "left";
}

/** A wide table is scrolled inside its own frame. */
export function scrolled(node, name) {
  return el(
    "div",
    { class: "k-table-scroll", tabindex: "0", role: "group", "aria-label": name },
    node,
  );
}
