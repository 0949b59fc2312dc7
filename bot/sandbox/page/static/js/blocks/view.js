/** What was entered into the fields of blocks, and what is wrong with it. */

import { setAttribute } from "../../shared/dom.js";

const FIELDS = ":is(input, textarea, select)[data-action-id]";

/** What is entered, by action id; null for nothing. */
export function values(element) {
  const fields = [...element.querySelectorAll(FIELDS)];
  return Object.fromEntries(fields.map((field) => [field.dataset.actionId, field.value || null]));
}

/** What the form itself finds wrong, by block id; empty when it may be submitted. */
export function problems(element) {
  const found = {};
  for (const field of element.querySelectorAll(FIELDS)) {
    const block = field.closest(".input-block");
    if (block && !field.value && block.dataset.optional === undefined) {
      found[block.dataset.blockId] = "Please complete this required field.";
    }
  }
  return found;
}

/** Shows a sentence at each block it is for, takes away all others, and goes to the first. */
export function showErrors(element, errors) {
  let first = null;
  for (const block of element.querySelectorAll(".input-block")) {
    const sentence = errors[block.dataset.blockId] ?? "";
    const slot = block.querySelector(".field-error");
    const control = block.querySelector(FIELDS);
    slot.textContent = sentence;
    slot.hidden = !sentence;
    if (control) setAttribute(control, "aria-invalid", sentence ? "true" : null);
    if (sentence) first ??= control;
  }
  first?.focus();
}

/** Puts what was entered in `before` into `after`, the same blocks drawn anew, as Slack does; and the focus, once they stand. */
export function carryOver(before, after) {
  const entered = values(before);
  const name = before.contains(document.activeElement) && document.activeElement.closest("[data-action-id]")?.dataset.actionId;
  const again = name ? after.querySelector(`[data-action-id="${CSS.escape(name)}"]`) : null;
  if (again) queueMicrotask(() => again.focus({ preventScroll: true }));
  for (const field of after.querySelectorAll(FIELDS)) {
    const value = entered[field.dataset.actionId];
    if (value) field.value = value;
  }
}
