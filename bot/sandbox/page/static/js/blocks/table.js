/** The table blocks. */

import { h } from "../../shared/dom.js";
import { button } from "../../shared/icons.js";
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

/** A captioned table, of which the first rows are shown until one asks for all. */
export function dataTable({ caption, rows, page_size: size = 5, row_header_column_index: named }) {
  const [head, ...body] = rows;
  const line = (cells) => h("tr", {}, cells.map((cell, column) => cellNode(cell, null, column === named ? "th" : "td", "row")));
  const rest = body.slice(size).map(line);
  for (const row of rest) row.hidden = true;
  const all = rest.length > 0 ? button(`Show all ${body.length} rows`, () => {
    for (const row of rest) row.hidden = false;
    all.remove();
  }) : null;
  return h("figure", { class: "data-table" }, h("figcaption", { text: caption }),
    scrolled(caption, h("table", {},
      h("thead", {}, h("tr", {}, head.map((cell) => cellNode(cell, null, "th")))),
      h("tbody", {}, body.slice(0, size).map(line), rest))), all);
}

function cellNode(cell, setting, tag, scope = "col") {
  const align = setting?.align ?? (cell.type === "raw_number" ? "right" : "left");
  const look = `align-${align}${setting?.is_wrapped ? "" : " no-wrap"}`;
  return h(tag, { class: look, scope: tag === "th" ? scope : null }, CELLS[cell.type](cell));
}

/** A table in a frame that scrolls and can be reached by the keyboard. */
export function scrolled(name, node) {
  return h("div", { class: "table-frame", tabindex: "0", role: "group", "aria-label": name }, node);
}
