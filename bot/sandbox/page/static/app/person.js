/** The foot of the sidebar: whom one acts as, the theme, and the state of the connection. */

import { avatar } from "./avatar.js";
import { h, setAttribute, setText } from "./dom.js";
import { icon } from "./icons.js";
import { fullName } from "./names.js";
import { count } from "./time.js";

const LINK_WORDS = { open: "Live", lost: "Reconnecting…", connecting: "Connecting…" };

export class PersonCard {
  constructor(app) {
    this.app = app;
    this.face = h("span", { class: "person-face" });
    this.select = h("select", {
      "aria-label": "Act as", class: "person-select",
      on: { change: () => app.actAs(this.select.value) },
    });
    this.theme = h("button", { type: "button", class: "icon-button", on: { click: () => this.toggleTheme() } });
    this.dot = h("span", { class: "link-dot", "aria-hidden": "true" });
    this.words = h("span");
    const link = h("p", { class: "link-line" }, this.dot, this.words);
    const person = h("div", { class: "person" }, this.face,
      h("span", { class: "person-words" }, h("span", { class: "person-caption", text: "Act as", "aria-hidden": "true" }), this.select),
      this.theme);
    this.node = h("footer", { class: "nav-foot" }, link, person);
    this.updateTheme();
  }

  update() {
    const { store } = this.app;
    const { world } = store;
    const mark = `${world.people.join()}|${store.me}`;
    if (this.mark !== mark) {
      this.mark = mark;
      this.select.replaceChildren(...world.people.map((id) => h("option", { value: id, text: fullName(store.user(id)) })));
      this.select.value = store.me;
      this.face.replaceChildren(avatar(store.user(store.me), store));
    }
    setAttribute(this.dot, "data-link", store.link === "open" && world.sockets === 0 ? "idle" : store.link);
    setText(this.words, `${LINK_WORDS[store.link]} · ${socketsWords(world.sockets)}`);
  }

  toggleTheme() {
    window.appearance.toggle();
    this.updateTheme();
  }

  updateTheme() {
    const other = window.appearance.theme === "dark" ? "light" : "dark";
    setAttribute(this.theme, "aria-label", `Switch to ${other} theme`);
    setAttribute(this.theme, "title", `Switch to ${other} theme`);
    this.theme.replaceChildren(icon(other === "dark" ? "moon" : "sun"));
  }
}

function socketsWords(sockets) {
  return sockets === 0 ? "the bot is not connected" : `${count(sockets, "bot socket")} open`;
}
