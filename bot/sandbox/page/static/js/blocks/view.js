/** What was entered into the fields of blocks, and what is wrong with it. */

import { setAttribute } from "../../shared/dom.js";

const FIELDS = ":is(input, textarea, select, .choices)[data-action-id]";

/** What one field shows: a text, a choice or, of checkboxes, all that are ticked; null for nothing. */
export function read(field) {
  if (!field.matches(".choices")) return field.value || null;
  const chosen = [...field.querySelectorAll(":checked")].map(({ value }) => value);
  return field.matches("[role=radiogroup]") ? chosen[0] ?? null : chosen;
}

/** Puts a value that was read from a field into it, or into the same one drawn anew. */
export function write(field, value) {
  if (!field.matches(".choices")) field.value = value ?? "";
  else for (const box of field.querySelectorAll("input")) box.checked = [value].flat().includes(box.value);
}

const isEmpty = (value) => value === null || value.length === 0;

/** What is entered, by action id; null for nothing. */
export function values(element) {
  const fields = [...element.querySelectorAll(FIELDS)];
  return Object.fromEntries(fields.map((field) => [field.dataset.actionId, read(field)]));
}

/** What the form itself finds wrong, by block id; empty when it may be submitted. */
export function problems(element) {
  const found = {};
  for (const field of element.querySelectorAll(FIELDS)) {
    const block = field.closest(".input-block");
    if (!block) continue;
    const isMissing = isEmpty(read(field)) && block.dataset.optional === undefined;
    if (isMissing) found[block.dataset.blockId] = "Please complete this required field.";
    else if (field.value && !field.validity.valid) found[block.dataset.blockId] = field.validationMessage;
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
  (first?.querySelector("input") ?? first)?.focus();
}

/** Puts what was entered in `before` into `after`, the same blocks drawn anew, as Slack does; and the focus, once they stand. */
export function carryOver(before, after) {
  const entered = values(before);
  const here = before.contains(document.activeElement) ? document.activeElement : null;
  const name = here?.closest("[data-action-id]")?.dataset.actionId;
  if (name) queueMicrotask(() => refocus(after.querySelector(`[data-action-id="${CSS.escape(name)}"]`), here));
  for (const field of after.querySelectorAll(FIELDS)) {
    const value = entered[field.dataset.actionId] ?? null;
    if (!isEmpty(value)) write(field, value);
  }
}

/** Of a group, the same choice. */
function refocus(field, { value }) {
  const inside = [...field?.querySelectorAll("input") ?? []];
  (inside.find((input) => input.value === value) ?? inside[0] ?? field)?.focus({ preventScroll: true });
}
