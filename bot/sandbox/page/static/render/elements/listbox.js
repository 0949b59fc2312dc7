// The list below a select: opening, filtering as one types, moving and choosing by keyboard.

import { el, freshId } from "../dom.js";
import { drawing } from "../icons.js";
import { openPopup, settle } from "./popup.js";

const SEARCH_DELAY_MS = 200;
const MAX_SHOWN = 200;
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

/** The list of one select; it follows what is typed into `input`. */
export function createListbox(parts) {
  return new Listbox(parts);
}

class Listbox {
  constructor({ input, anchor, source, isMulti, isChosen, onPick, onClose }) {
    Object.assign(this, { input, anchor, source, isMulti, isChosen, onPick, onClose });
    this.element = el("div", { class: "k-popup k-listbox", role: "listbox", id: freshId("list") });
    this.element.setAttribute("aria-label", "Options");
    if (isMulti) this.element.setAttribute("aria-multiselectable", "true");
    this.options = [];
    this.nodes = [];
    this.active = -1;
    this.query = 0;
    input.setAttribute("aria-expanded", "false");
    input.setAttribute("aria-controls", this.element.id);
    input.setAttribute("aria-autocomplete", "list");
    input.addEventListener("click", () => this.open());
    input.addEventListener("input", () => this.typed());
    input.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  get isOpen() {
    return this.close !== undefined;
  }

  open() {
    if (this.isOpen) return;
    this.input.select();
    this.close = openPopup(this.element, this.anchor, () => {
      this.close = undefined;
      this.input.setAttribute("aria-expanded", "false");
      this.input.removeAttribute("aria-activedescendant");
      this.onClose();
    });
    this.input.setAttribute("aria-expanded", "true");
    this.offer("");
  }

  typed() {
    const text = this.input.value;
    this.open();
    this.input.value = text;
    this.offer(text);
  }

  /** Offer what fits; of several searches under way only the last one counts. */
  async offer(text) {
    this.query += 1;
    const query = this.query;
    if (!this.source.search) return this.list(fitting(this.source.offered, text), "No results");
    if (text.length < this.source.minChars) return this.list([], hint(this.source.minChars));
    this.list([], "Searching…");
    await new Promise((resolve) => setTimeout(resolve, SEARCH_DELAY_MS));
    if (query !== this.query) return undefined;
    const found = await this.source.search(text).catch(() => []);
    return query === this.query ? this.list(found, "No results") : undefined;
  }

  list(choices, words) {
    this.options = choices.slice(0, MAX_SHOWN);
    const nodes = this.options.map((choice) => this.option(choice));
    const empty = el(
      "div",
      { class: "k-list-note", role: "option", "aria-disabled": "true" },
      words,
    );
    this.element.replaceChildren(...(nodes.length ? grouped(this.options, nodes) : [empty]));
    this.nodes = nodes;
    this.move(nodes.length ? Math.max(0, this.options.findIndex(this.isChosen)) : -1);
    if (this.isOpen) settle(this.element, this.anchor);
  }

  option(choice) {
    const isChosen = this.isChosen(choice);
    const self = el(
      "div",
      {
        role: "option",
        class: "k-option",
        id: freshId("option"),
        "aria-selected": String(isChosen),
      },
      el("span", { class: "k-option-check" }, isChosen ? drawing("check") : null),
      el("span", {}, choice.label),
      choice.description ? el("span", { class: "k-option-description" }, choice.description) : null,
    );
    self.addEventListener("click", () => this.pick(choice));
    return self;
  }

  move(to) {
    this.nodes[this.active]?.classList.remove("k-active");
    this.active = to;
    const node = this.nodes[to];
    node?.classList.add("k-active");
    node?.scrollIntoView({ block: "nearest" });
    if (node) this.input.setAttribute("aria-activedescendant", node.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  pick(choice) {
    this.onPick(choice);
    if (!this.isMulti) this.close?.();
    else if (this.isOpen) this.offer("");
  }

  key(event) {
    if (event.key in STEPS) this.step(STEPS[event.key]);
    else if (event.key === "Enter" && this.isOpen) {
      if (this.options[this.active]) this.pick(this.options[this.active]);
    } else if (event.key === "Escape" && this.isOpen) {
      this.close();
      event.stopPropagation();
    } else if (event.key === "Tab") {
      this.close?.();
      return;
    } else return;
    event.preventDefault();
  }

  step(by) {
    if (!this.isOpen) return this.open();
    const count = this.nodes.length;
    if (count) this.move((this.active + by + count) % count);
    return undefined;
  }
}

function hint(minChars) {
  return `Type at least ${minChars} character${minChars === 1 ? "" : "s"} to search`;
}

function fitting(choices, text) {
  const wanted = text.trim().toLowerCase();
  const fits = ({ label, description }) => `${label} ${description}`.toLowerCase().includes(wanted);
  return wanted ? choices.filter(fits) : choices;
}

/** The options under the labels of their groups. */
function grouped(choices, nodes) {
  const groups = [];
  choices.forEach((choice, index) => {
    const last = groups.at(-1);
    if (last?.label === choice.group) last.nodes.push(nodes[index]);
    else groups.push({ label: choice.group, nodes: [nodes[index]] });
  });
  return groups.flatMap((group) => (group.label === null ? group.nodes : [groupNode(group)]));
}

function groupNode({ label, nodes }) {
  const heading = el("div", { class: "k-group-label", "aria-hidden": "true" }, label);
  return el("div", { role: "group", "aria-label": label }, heading, nodes);
}
