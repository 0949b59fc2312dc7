/** The quick switch: type a few letters of a channel or person, Enter goes there. */

import { avatar } from "./avatar.js";
import { freshId, h, setAttribute } from "./dom.js";
import { icon } from "./icons.js";
import { channelIcon, channelName, otherMembers } from "./names.js";

const SHOWN = 9;

/** Opens it over the page; Esc closes it. */
export function openSwitcher(app) {
  if (document.querySelector("dialog[open]")) return;
  new Switcher(app).open();
}

class Switcher {
  constructor(app) {
    this.app = app;
    this.index = 0;
    const id = freshId("jump");
    this.list = h("ul", { id, class: "switcher-list", role: "listbox", "aria-label": "Places" });
    this.input = h("input", {
      class: "switcher-input", type: "text", placeholder: "Jump to a channel or person", autocomplete: "off",
      role: "combobox", "aria-label": "Jump to", "aria-expanded": "true", "aria-controls": id, "aria-autocomplete": "list",
      on: { input: () => this.fill(), keydown: (event) => this.press(event) },
    });
    this.dialog = h("dialog", { class: "switcher", "aria-label": "Jump to" }, this.input, this.list);
    this.dialog.addEventListener("close", () => this.dialog.remove());
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
  }

  open() {
    document.body.append(this.dialog);
    this.fill();
    this.dialog.showModal();
    this.input.focus();
  }

  fill() {
    const { store } = this.app;
    const wanted = this.input.value.trim().replace(/^[#@]/, "").toLowerCase();
    const named = [...store.channels.values()].map((channel) => ({ channel, name: channelName(channel, store) }));
    const matching = named.filter(({ name }) => name.toLowerCase().includes(wanted));
    const starts = ({ name }) => Number(!name.toLowerCase().startsWith(wanted));
    this.found = matching.sort((one, other) => starts(one) - starts(other)).slice(0, SHOWN);
    this.index = 0;
    this.list.replaceChildren(...this.found.map((found, index) => this.option(found, index)));
    this.mark();
  }

  option({ channel, name }, index) {
    const { store } = this.app;
    const isDirect = channel.is_im || channel.is_mpim;
    const face = isDirect ? avatar(store.user(otherMembers(channel, store)[0]), store, "s") : icon(channelIcon(channel));
    return h("li", {
      id: `${this.list.id}-${index}`, class: "offer", role: "option", on: { click: () => this.go(index) },
    }, face, h("span", { class: "offer-title", text: name }));
  }

  mark() {
    [...this.list.children].forEach((option, index) => setAttribute(option, "aria-selected", String(index === this.index)));
    setAttribute(this.input, "aria-activedescendant", this.list.children[this.index]?.id ?? null);
  }

  press(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.found.length > 0) {
      event.preventDefault();
      this.index = (this.index + step + this.found.length) % this.found.length;
      this.mark();
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.go(this.index);
    }
  }

  go(index) {
    const found = this.found[index];
    if (!found) return;
    this.dialog.close();
    this.app.places.goTo(found.channel.id);
    this.app.focusComposer();
  }
}
