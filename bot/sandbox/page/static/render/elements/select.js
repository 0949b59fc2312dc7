// Selects of every source, for one or several choices: a field to type in and a list below it.

import { el, freshId } from "../dom.js";
import { drawing } from "../icons.js";
import { maybe } from "../shapes.js";
import { act } from "./acting.js";
import { choicesOf, initialChoices } from "./choices.js";
import { naming, registerField } from "./fields.js";
import { createListbox } from "./listbox.js";

/** A select as a combobox; its value is the chosen value, or the list of them. */
export function select(node, place) {
  return new Select(node, place).root;
}

class Select {
  constructor(node, place) {
    this.node = node;
    this.place = place;
    this.isMulti = node.type.startsWith("multi_");
    this.max = maybe(node, "max_selected_items", "number") ?? Infinity;
    const source = choicesOf(node, place);
    this.chosen = initialChoices(node, source, place.ctx);
    this.build();
    this.listbox = createListbox({
      input: this.input,
      anchor: this.box,
      source,
      isMulti: this.isMulti,
      isChosen: ({ value }) => this.chosen.some((choice) => choice.value === value),
      onPick: (choice) => this.pick(choice),
      onClose: () => this.show(),
    });
    this.root.append(this.listbox.element);
    this.show();
    registerField(this.root, node, place, {
      read: () => this.value(),
      write: (value, from) => this.take(value, from),
    });
    this.root.choicesHeld = () => this.chosen;
  }

  build() {
    const placeholder =
      this.node.placeholder?.text ?? (this.isMulti ? "Select options" : "Select an option");
    this.placeholder = String(placeholder);
    this.input = el("input", {
      type: "text",
      class: "k-select-input",
      role: "combobox",
      id: freshId("select"),
      autocomplete: "off",
      spellcheck: "false",
      autofocus: this.node.focus_on_load === true,
      ...naming(this.place, this.node, this.placeholder),
    });
    this.chips = el("span", { class: "k-chips" });
    this.clear = this.clearButton();
    const arrow = el("span", { class: "k-select-arrow" }, drawing("down"));
    const held = el("span", { class: "k-select-held" }, this.chips, this.input);
    this.box = el("span", { class: "k-select-box" }, held, this.clear, arrow);
    this.root = el("span", { class: `k-select${this.isMulti ? " k-select-multi" : ""}` }, this.box);
    this.box.addEventListener("click", (event) => {
      if (!event.target.closest("button")) this.input.focus();
    });
    this.input.addEventListener("keydown", (event) => {
      const takesBack = event.key === "Backspace" && !this.input.value && this.isMulti;
      if (takesBack && this.chosen.length) this.choose(this.chosen.slice(0, -1));
    });
  }

  clearButton() {
    const self = el(
      "button",
      { type: "button", class: "k-select-clear", "aria-label": "Clear selection" },
      drawing("close"),
    );
    self.addEventListener("click", () => this.choose([]));
    return self;
  }

  value() {
    const values = this.chosen.map(({ value }) => value);
    return this.isMulti ? values : (values[0] ?? null);
  }

  /** Take over what another select held, as when its view was drawn anew. */
  take(_value, from) {
    this.chosen = from?.choicesHeld?.() ?? this.chosen;
    this.show();
  }

  pick(choice) {
    if (!this.isMulti) return this.choose([choice]);
    const others = this.chosen.filter(({ value }) => value !== choice.value);
    const isTakenBack = others.length < this.chosen.length;
    if (!isTakenBack && this.chosen.length >= this.max) return undefined;
    return this.choose(isTakenBack ? others : [...this.chosen, choice]);
  }

  async choose(choices) {
    const before = this.chosen;
    this.chosen = choices;
    this.show();
    const agreed = await act(this.place, this.node, this.value(), this.input);
    if (agreed) return;
    this.chosen = before;
    this.show();
  }

  /** Draw what is chosen: a label in the field, or a chip for each. */
  show() {
    const label = this.chosen[0]?.label ?? "";
    this.input.value = this.isMulti ? "" : label;
    this.input.placeholder = this.isMulti && this.chosen.length ? "" : this.placeholder;
    this.chips.replaceChildren(
      ...(this.isMulti ? this.chosen.map((choice) => this.chip(choice)) : []),
    );
    this.clear.hidden = this.isMulti || !this.chosen.length || !this.place.labelId;
  }

  chip(choice) {
    const self = el("button", { type: "button", class: "k-chip" }, choice.label, drawing("close"));
    self.setAttribute("aria-label", `Remove ${choice.label}`);
    self.addEventListener("click", () => {
      this.choose(this.chosen.filter(({ value }) => value !== choice.value));
      this.input.focus();
    });
    return self;
  }
}
