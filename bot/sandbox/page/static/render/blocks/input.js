// The input block: a label, its field, a hint, and the place for what is wrong with it.

import { el, freshId } from "../dom.js";
import { element } from "../elements.js";
import { need } from "../shapes.js";
import { maybeText, textOf } from "../text/object.js";

const CONTROLS = "input, textarea";

export function input(block, ctx) {
  const [labelId, hintId, errorId] = ["label", "hint", "error"].map(freshId);
  const place = {
    ctx,
    blockId: block.block_id,
    fires: block.dispatch_action === true,
    labelId,
    describedBy: `${hintId} ${errorId}`,
  };
  const hint = maybeText(block, "hint", ctx);
  const label = el(
    "div",
    { class: "k-label", id: labelId },
    textOf(block, "label", ctx),
    optional(block),
  );
  const field = element(need(block, "element", "object"), place);
  label.addEventListener("click", () =>
    (field.matches(CONTROLS) ? field : field.querySelector(CONTROLS))?.focus(),
  );
  return el(
    "div",
    { class: "k-input-block", "data-optional": block.optional === true },
    label,
    field,
    el("div", { class: "k-error", id: errorId, role: "alert", hidden: true }),
    el("div", { class: "k-hint", id: hintId }, hint),
  );
}

function optional(block) {
  return block.optional === true ? el("span", { class: "k-optional" }, " (optional)") : null;
}
