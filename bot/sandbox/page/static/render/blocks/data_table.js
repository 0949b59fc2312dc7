// The data table: pages of rows that can be sorted by column and searched.

import { el } from "../dom.js";
import { drawing } from "../icons.js";
import { maybe, need } from "../shapes.js";
import { alignOf, cellContent, rowsOf, scrolled } from "./table.js";

const DEFAULT_PAGE_SIZE = 5;
const MIN_ROWS_TO_SEARCH = 10;

export function dataTable(block, ctx) {
  return new DataTable(block, ctx).root;
}

class DataTable {
  constructor(block, ctx) {
    this.caption = need(block, "caption", "string");
    const [head = [], ...body] = rowsOf(block);
    const place = { ctx, blockId: block.block_id, fires: true };
    this.head = head;
    this.rows = body.map((cells) => this.row(cells, place));
    this.pageSize = Math.max(
      1,
      Math.trunc(maybe(block, "page_size", "number") ?? DEFAULT_PAGE_SIZE),
    );
    this.headColumn = maybe(block, "row_header_column_index", "number") ?? 0;
    this.page = 0;
    this.sort = null;
    this.wanted = "";
    this.build(place);
    this.show();
  }

  row(cells, place) {
    const contents = cells.map((cell) => cellContent(cell, place));
    const texts = contents.map((node) => node.textContent.trim());
    return {
      cells,
      contents,
      texts,
      text: texts.join(" ").toLowerCase(),
      keys: cells.map((cell, at) => keyOf(cell, texts[at])),
      node: null,
    };
  }

  build(place) {
    this.body = el("tbody");
    this.headings = this.head.map((cell, column) => this.heading(cell, column, place));
    const table = el(
      "table",
      { class: "k-table k-data-table" },
      el("caption", {}, this.caption),
      el("thead", {}, el("tr", {}, this.headings)),
      this.body,
    );
    this.earlier = this.turner("left", "Previous page", -1);
    this.later = this.turner("right", "Next page", 1);
    this.note = el("span", { class: "k-muted", role: "status" });
    this.pager = el("div", { class: "k-pager" }, this.note, this.earlier, this.later);
    this.root = el(
      "div",
      { class: "k-data" },
      this.searchField(),
      scrolled(table, this.caption),
      this.pager,
    );
  }

  heading(cell, column, place) {
    const content = cellContent(cell, place);
    const button = el("button", { type: "button", class: "k-sort" }, content, drawing("down"));
    button.addEventListener("click", () => this.sortBy(column));
    return el("th", { scope: "col", class: `k-${this.alignment(column)}` }, button);
  }

  alignment(column) {
    return alignOf(this.rows[0]?.cells[column]);
  }

  turner(icon, name, by) {
    const self = el(
      "button",
      { type: "button", class: "k-icon-button", "aria-label": name },
      drawing(icon),
    );
    self.addEventListener("click", () => {
      this.page += by;
      this.show();
    });
    return self;
  }

  searchField() {
    if (this.rows.length < MIN_ROWS_TO_SEARCH) return null;
    const self = el("input", {
      type: "search",
      class: "k-input k-table-search",
      placeholder: "Search",
      "aria-label": `Search ${this.caption}`,
    });
    self.addEventListener("input", () => {
      this.wanted = self.value.trim().toLowerCase();
      this.page = 0;
      this.show();
    });
    return self;
  }

  sortBy(column) {
    const isSame = this.sort?.column === column;
    this.sort = { column, direction: isSame ? -this.sort.direction : 1 };
    this.page = 0;
    this.show();
  }

  show() {
    const found = this.sorted(this.rows.filter(({ text }) => text.includes(this.wanted)));
    const pages = Math.max(1, Math.ceil(found.length / this.pageSize));
    const from = this.page * this.pageSize;
    const shown = found.slice(from, from + this.pageSize);
    this.body.replaceChildren(...shown.map((row) => this.rowNode(row)));
    this.note.textContent = found.length
      ? `${from + 1} to ${from + shown.length} of ${found.length}`
      : "No rows";
    this.earlier.disabled = this.page === 0;
    this.later.disabled = this.page >= pages - 1;
    this.pager.hidden = this.rows.length <= this.pageSize && !this.wanted;
    this.headings.forEach((heading, column) => {
      const direction = this.sort?.column === column ? this.sort.direction : 0;
      heading.setAttribute(
        "aria-sort",
        { "-1": "descending", 0: "none", 1: "ascending" }[direction],
      );
    });
  }

  sorted(rows) {
    if (this.sort === null) return rows;
    const { column, direction } = this.sort;
    return rows.toSorted((a, b) => direction * compare(a.keys[column], b.keys[column]));
  }

  rowNode(row) {
    row.node ??= el(
      "tr",
      {},
      row.contents.map((content, column) => this.cellNode(content, column)),
    );
    return row.node;
  }

  cellNode(content, column) {
    const isHead = column === this.headColumn;
    const attributes = { class: `k-${this.alignment(column)}`, scope: isHead ? "row" : null };
    return el(isHead ? "th" : "td", attributes, content);
  }
}

function keyOf(cell, text) {
  return typeof cell?.value === "number" ? cell.value : text;
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a ?? "").localeCompare(String(b ?? ""), "en", { numeric: true });
}
