// Fields for typing and for files: text of one or many lines, numbers, addresses, rich text.

import { el } from "../dom.js";
import { isObject, maybe } from "../shapes.js";
import { richText } from "../rich_text.js";
import { act } from "./acting.js";
import { naming, registerField } from "./fields.js";

const TYPING_DELAY_MS = 300;

export function plainTextInput(node, place) {
  const tag = node.multiline === true ? "textarea" : "input";
  return typed(node, place, tag, {
    type: tag === "input" ? "text" : null,
    rows: tag === "textarea" ? 4 : null,
    maxlength: limitOf(node, "max_length"),
  });
}

export function numberInput(node, place) {
  const bounds = { min: node.min_value, max: node.max_value };
  const step = node.is_decimal_allowed === true ? "any" : "1";
  return typed(node, place, "input", { type: "number", step, ...bounds });
}

export function emailInput(node, place) {
  return typed(node, place, "input", { type: "email", autocomplete: "off" });
}

export function urlInput(node, place) {
  return typed(node, place, "input", { type: "url", autocomplete: "off" });
}

/** Typed text; what the app gave at first is shown as its words. */
export function richTextInput(node, place) {
  const initial = maybe(node, "initial_value", "object");
  const words = initial === null ? "" : richText(initial, place.ctx).textContent;
  return typed({ ...node, initial_value: words }, place, "textarea", { rows: 4 });
}

/** Files by their names; the stand-in takes no bytes from a form. */
export function fileInput(node, place) {
  const max = limitOf(node, "max_files") ?? 10;
  const kinds = (maybe(node, "filetypes", "list") ?? []).map((kind) => `.${kind}`);
  const self = el("input", {
    type: "file",
    class: "k-file-input",
    multiple: max > 1,
    accept: kinds.length ? kinds.join(",") : null,
    ...naming(place, node, "Files"),
  });
  return registerField(self, node, place, {
    read: () => (self.files.length ? [...self.files].map(({ name }) => name) : null),
    write: (_value, from) => {
      if (from?.files) self.files = from.files;
    },
    problem: () => (self.files.length > max ? `Choose at most ${max} files.` : null),
  });
}

function typed(node, place, tag, attributes) {
  const self = el(tag, {
    class: "k-input",
    placeholder: isObject(node.placeholder) ? node.placeholder.text : null,
    autofocus: node.focus_on_load === true,
    ...attributes,
    ...naming(place, node, "Text"),
  });
  self.value = String(node.initial_value ?? "");
  dispatch(self, node, place);
  return registerField(self, node, place, {
    read: () => (self.value === "" ? null : self.value),
    write: (value) => {
      self.value = value ?? "";
    },
    problem: () => problemOf(self, node),
  });
}

/** Tell the app of what is typed, where its input block asks for that. */
function dispatch(self, node, place) {
  const config = maybe(node, "dispatch_action_config", "object");
  const triggers = (config && maybe(config, "trigger_actions_on", "list")) ?? ["on_enter_pressed"];
  const tell = () => act(place, node, self.value === "" ? null : self.value, self);
  if (place.fires && triggers.includes("on_enter_pressed")) {
    self.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      tell();
    });
  }
  if (place.fires && triggers.includes("on_character_entered")) {
    let timer;
    self.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(tell, TYPING_DELAY_MS);
    });
  }
}

function problemOf(self, node) {
  const min = limitOf(node, "min_length");
  if (self.validity.badInput) return "Enter a number.";
  if (self.value === "") return null;
  if (min !== null && self.value.length < min) return `Enter at least ${min} characters.`;
  return self.validity.valid ? null : self.validationMessage;
}

function limitOf(node, name) {
  const limit = maybe(node, name, "number");
  return limit === null ? null : Math.max(0, Math.trunc(limit));
}
