/** The table block. */

import { h } from "../../shared/dom.js";
import { texts } from "../markup.js";

const CELLS = {
  raw_text: ({ text }) => h("span", { text }),
  raw_number: ({ value, text }) => h("span", { text: text ?? value.toLocaleString("en-US") }),
  rich_text: ({ html }) => texts(html, "text"),
};

/** A table with its first row as the head; a wide one is scrolled inside its own frame. */
export function table({ rows, column_settings: settings = [] }) {
  const row = (cells, tag) => h("tr", {}, cells.map((cell, column) => cellNode(cell, settings[column], tag)));
  const [head, ...body] = rows;
  return scrolled("Table", h("table", {},
    h("thead", {}, row(head, "th")),
    h("tbody", {}, body.map((cells) => row(cells, "td")))));
}

function cellNode(cell, setting, tag) {
  const align = setting?.align ?? (cell.type === "raw_number" ? "right" : "left");
  const look = `align-${align}${setting?.is_wrapped ? "" : " no-wrap"}`;
  return h(tag, { class: look, scope: tag === "th" ? "col" : null }, CELLS[cell.type](cell));
}

/** A table in a frame that scrolls and can be reached by the keyboard. */
export function scrolled(name, node) {
  return h("div", { class: "table-frame", tabindex: "0", role: "group", "aria-label": name }, node);
}
