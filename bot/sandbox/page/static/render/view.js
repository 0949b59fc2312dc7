// Views, modal and Home: their blocks, what was entered, and what is wrong with it.

import { blocks } from "./blocks.js";
import { el } from "./dom.js";
import { fieldsIn } from "./elements/fields.js";
import { unknownBox } from "./unknown.js";

const REQUIRED = "Please complete this required field.";
const CONTROLS = "input, textarea, button";

/** The blocks of a view. Title and buttons are for the surface around it. */
export function view(view, ctx) {
  const known = ["modal", "home"].includes(view?.type);
  const scoped = { ...ctx, scope: `view/${view?.id ?? ""}` };
  return el(
    "div",
    { class: `k-view k-view-${known ? view.type : "unknown"}` },
    known ? blocks(view.blocks, scoped) : unknownBox(`Unknown view: ${view?.type}`, view),
  );
}

/** What is entered, by action id: texts, dates, option values and lists of them; null for nothing. */
export function values(element) {
  const fields = fieldsIn(element).filter(({ actionId }) => actionId !== undefined);
  return Object.fromEntries(fields.map(({ actionId, read }) => [actionId, read()]));
}

/** What the form itself finds wrong, by block id; empty when it may be submitted. */
export function problems(element) {
  const found = fieldsIn(element).map((field) => [field.blockId, problemOf(field)]);
  return Object.fromEntries(found.filter(([, words]) => words !== null));
}

function problemOf({ root, read, problem }) {
  const block = root.closest(".k-input-block");
  if (block === null) return null;
  const value = read();
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  const own = problem();
  return own ?? (isEmpty && block.dataset.optional === undefined ? REQUIRED : null);
}

/** Show a sentence at each block it is for, take away all others, and go to the first. */
export function showErrors(element, errors) {
  let first = null;
  for (const block of element.querySelectorAll(".k-input-block")) {
    const words = errors?.[block.dataset.blockId];
    const slot = block.querySelector(".k-error");
    slot.textContent = words ?? "";
    slot.hidden = !words;
    for (const control of block.querySelectorAll(CONTROLS)) {
      if (words) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    }
    first ??= words ? block.querySelector(CONTROLS) : null;
  }
  first?.focus();
}

/**
 * Put what was entered in `before` into `after`, the same view drawn anew. As in Slack, a field
 * keeps its value when its block id, action id and type are still the same.
 */
export function carryOver(before, after) {
  const key = ({ blockId, actionId, type }) => JSON.stringify([blockId, actionId, type]);
  const held = new Map(fieldsIn(before).map((field) => [key(field), field]));
  for (const field of fieldsIn(after)) {
    const old = held.get(key(field));
    if (old) field.write(old.read(), old.root);
  }
}
