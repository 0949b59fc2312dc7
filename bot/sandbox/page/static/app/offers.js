/** The list of completions above a text area, driven by its keys. */

import { avatar } from "./avatar.js";
import { freshId, h, setAttribute, show } from "./dom.js";
import { icon } from "./icons.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export class Offers {
  /** `choose(offer, start)` is called with what was picked. */
  constructor(area, store, choose) {
    this.area = area;
    this.store = store;
    this.choose = choose;
    this.found = null;
    this.index = 0;
    this.node = h("ul", { id: freshId("offers"), class: "offers", role: "listbox", "aria-label": "Suggestions", hidden: true });
    area.setAttribute("aria-autocomplete", "list");
    area.setAttribute("aria-controls", this.node.id);
    area.addEventListener("blur", () => this.close());
  }

  get isOpen() {
    return this.found !== null;
  }

  open(found) {
    this.found = found;
    this.index = 0;
    this.node.replaceChildren(...(found?.offers ?? []).map((offer, index) => this.option(offer, index)));
    show(this.node, found !== null);
    this.mark();
  }

  close() {
    if (this.isOpen) this.open(null);
  }

  option(offer, index) {
    return h("li", {
      id: `${this.node.id}-${index}`,
      class: "offer",
      role: "option",
      on: {
        pointerdown: (event) => event.preventDefault(),
        click: () => this.pick(index),
      },
    },
    this.face(offer),
    h("span", { class: "offer-title", text: offer.title }),
    h("span", { class: "offer-hint", text: offer.hint ?? "" }));
  }

  face(offer) {
    if (offer.user) return avatar(offer.user, this.store, "s");
    if (offer.icon) return icon(offer.icon);
    return h("span", { class: "offer-character", "aria-hidden": "true", text: offer.character });
  }

  mark() {
    [...this.node.children].forEach((option, index) =>
      setAttribute(option, "aria-selected", String(index === this.index)),
    );
    const active = this.node.children[this.index];
    setAttribute(this.area, "aria-activedescendant", active?.id ?? null);
    active?.scrollIntoView({ block: "nearest" });
  }

  pick(index) {
    const { offers, start } = this.found;
    this.close();
    this.choose(offers[index], start);
  }

  /** Returns whether the key was for the list. */
  take(event) {
    if (!this.isOpen || event.isComposing) return false;
    const step = STEPS[event.key];
    if (step) {
      const { length } = this.found.offers;
      this.index = (this.index + step + length) % length;
      this.mark();
    } else if (event.key === "Enter" || event.key === "Tab") this.pick(this.index);
    else if (event.key === "Escape") this.close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
}
