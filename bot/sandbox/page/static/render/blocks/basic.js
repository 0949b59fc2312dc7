// The blocks that most posts are made of: sections, headers, contexts, rows of actions.

import { el, fragment } from "../dom.js";
import { element } from "../elements.js";
import { picture } from "../elements/picture.js";
import { Malformed, maybe, need } from "../shapes.js";
import { maybeText, textNode, textOf } from "../text/object.js";
import { renderKind } from "../unknown.js";

/** The place of a block's elements: each use is reported. */
export function placeIn(block, ctx) {
  return { ctx, blockId: block.block_id, fires: true };
}

export function section(block, ctx) {
  const text = maybeText(block, "text", ctx);
  const fields = maybe(block, "fields", "list");
  if (text === null && fields === null) throw new Malformed("text is missing");
  const accessory = maybe(block, "accessory", "object");
  return el(
    "div",
    { class: accessory ? "k-section k-with-accessory" : "k-section" },
    el(
      "div",
      { class: "k-section-text" },
      text && el("div", { class: "k-text" }, text),
      fieldList(fields, ctx),
    ),
    accessory && el("div", { class: "k-accessory" }, element(accessory, placeIn(block, ctx))),
  );
}

function fieldList(fields, ctx) {
  if (fields === null) return null;
  const cells = fields.map((field) =>
    el("div", { class: "k-text" }, renderKind("field", TEXTS, field, ctx)),
  );
  return el("div", { class: "k-fields" }, cells);
}

export function header(block, ctx) {
  return el("h3", { class: "k-header" }, textOf(block, "text", ctx));
}

export function divider() {
  return el("hr", { class: "k-divider" });
}

const TEXTS = { plain_text: textNode, mrkdwn: textNode };
const IN_CONTEXT = {
  plain_text: (text, ctx) => el("span", { class: "k-context-text" }, textNode(text, ctx)),
  mrkdwn: (text, ctx) => el("span", { class: "k-context-text" }, textNode(text, ctx)),
  image: (image) => picture(image, "k-context-image"),
};

export function context(block, ctx) {
  const parts = need(block, "elements", "list");
  return el(
    "div",
    { class: "k-context" },
    parts.map((part) => renderKind("element", IN_CONTEXT, part, ctx)),
  );
}

export function actions(block, ctx) {
  return el("div", { class: "k-actions" }, elementsOf(block, ctx));
}

export function contextActions(block, ctx) {
  return el("div", { class: "k-context-actions" }, elementsOf(block, ctx));
}

function elementsOf(block, ctx) {
  const place = placeIn(block, ctx);
  return fragment(need(block, "elements", "list").map((node) => element(node, place)));
}
