/** Blocks by their type. What is unknown or malformed is shown as labelled JSON: nothing that an app sent is dropped. */

import { freshId, h } from "../../shared/dom.js";
import { texts } from "../markup.js";
import { chart } from "./chart.js";
import { element } from "./elements.js";
import { plan } from "./progress.js";
import { dataTable, table } from "./table.js";

const MAX_JSON_CHARS = 20_000;

const BLOCKS = {
  section,
  header: (block) => words(block.text, "header", "h3"),
  divider: () => h("hr", { class: "divider" }),
  context: (block) => h("div", { class: "context" }, block.elements.map((part) => words(part, "text", "span"))),
  actions: (block, ctx) => h("div", { class: "actions" }, elements(block, ctx)),
  context_actions: (block, ctx) => h("div", { class: "actions" }, elements(block, ctx)),
  input,
  markdown: (block) => words(block, "text is-markdown"),
  rich_text: (block) => words(block),
  table: (block) => table(block),
  data_table: (block) => dataTable(block),
  data_visualization: (block) => chart(block),
  plan: (block, ctx) => plan(block, ctx),
};

/** The blocks as one element. `ctx` is `{store, scope, onAction}`; never throws. */
export function blocks(list, ctx) {
  return h("div", { class: "blocks" }, list.map((block) => blockNode(block, ctx)));
}

function blockNode(block, ctx) {
  if (!Object.hasOwn(BLOCKS, block?.type)) return unknown(`Unknown block: ${block?.type}`, block);
  try {
    return BLOCKS[block.type](block, ctx);
  } catch {
    return unknown(`Malformed block: ${block.type}`, block);
  }
}

/** A labelled box with the value as JSON. */
function unknown(label, value) {
  const json = JSON.stringify(value, null, 2) ?? String(value);
  const shown = json.length > MAX_JSON_CHARS ? `${json.slice(0, MAX_JSON_CHARS)}\n…` : json;
  return h("figure", { class: "unknown" }, h("figcaption", { text: label }),
    h("pre", { tabindex: "0", "aria-label": "JSON", text: shown }));
}

/** A text as the server has rendered it. Throws for one that it could not render. */
export function words(text, look, tag) {
  if (typeof text?.html !== "string") throw new TypeError("a text has no HTML");
  return texts(text.html, look, tag);
}

/** The place of a block's elements: each use of them is told to the app. */
function placeIn(block, ctx) {
  return { ctx, blockId: block.block_id, fires: true };
}

function elements(block, ctx) {
  return block.elements.map((node) => elementNode(node, placeIn(block, ctx)));
}

function elementNode(node, place) {
  return element(node, place) ?? unknown(`Unknown element: ${node.type}`, node);
}

function section(block, ctx) {
  const { text, accessory } = block;
  const body = h("div", { class: "section-text" }, words(text));
  const beside = accessory ? h("div", { class: "accessory" }, elementNode(accessory, placeIn(block, ctx))) : null;
  return h("div", { class: "section" }, body, beside);
}

/** A label, its field, a hint, and the place for what is wrong with it. */
function input(block, ctx) {
  const [id, hintId, errorId] = ["field", "hint", "error"].map(freshId);
  const place = { ctx, blockId: block.block_id, fires: false, id, describedBy: `${hintId} ${errorId}` };
  const field = elementNode(block.element, place);
  const label = Object.assign(words(block.label, "label", "label"), { htmlFor: id });
  if (block.optional) label.append(h("span", { class: "muted", text: " (optional)" }));
  return h("div", { class: "input-block", dataset: { blockId: block.block_id, ...(block.optional && { optional: "" }) } },
    label,
    field,
    h("div", { class: "field-error", id: errorId, role: "alert", hidden: true }),
    block.hint ? Object.assign(words(block.hint, "muted hint"), { id: hintId }) : null);
}
