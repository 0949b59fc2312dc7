// Checkboxes and radio buttons.

import { el, freshId } from "../dom.js";
import { isObject, maybe, need } from "../shapes.js";
import { textOf } from "../text/object.js";
import { act } from "./acting.js";
import { naming, registerField } from "./fields.js";
import { described } from "./overflow.js";

/** Boxes of which any number may be ticked; the value is the list of the ticked ones' values. */
export function checkboxes(node, place) {
  const initial = (maybe(node, "initial_options", "list") ?? []).filter(isObject);
  return group(node, place, "checkbox", initial, (ticked) => ticked);
}

/** Buttons of which one is chosen; the value is its value, or null. */
export function radioButtons(node, place) {
  const initial = [maybe(node, "initial_option", "object")].filter(Boolean);
  return group(node, place, "radio", initial, (ticked) => ticked[0] ?? null);
}

function group(node, place, type, initial, valueOf) {
  const name = freshId("group");
  const atFirst = initial.map(({ value }) => value);
  const options = need(node, "options", "list");
  const inputs = options.map((option) => box(option, type, name, atFirst.includes(option?.value)));
  const role = type === "radio" ? "radiogroup" : "group";
  const root = el(
    "div",
    { class: "k-boxes", role, ...naming(place, node, "Options") },
    options.map((option, index) => labelled(option, inputs[index], place.ctx)),
  );
  const ticked = () => inputs.filter(({ checked }) => checked).map(({ value }) => value);
  let settled = ticked();
  const write = (value) => {
    const wanted = [value].flat();
    for (const input of inputs) input.checked = wanted.includes(input.value);
    settled = ticked();
  };
  root.addEventListener("change", async () => {
    if (await act(place, node, valueOf(ticked()), root)) settled = ticked();
    else write(settled);
  });
  return registerField(root, node, place, { read: () => valueOf(ticked()), write });
}

function box(option, type, name, checked) {
  const value = maybe(option, "value", "string") ?? "";
  return el("input", { type, name, value, checked, class: "k-box" });
}

function labelled(option, input, ctx) {
  const text = el("span", { class: "k-box-text" }, textOf(option, "text", ctx));
  const words = el("span", { class: "k-box-words" }, text, described(option, ctx));
  return el("label", { class: "k-box-label" }, input, words);
}
