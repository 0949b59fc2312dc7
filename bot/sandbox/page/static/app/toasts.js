/** Short sentences in a corner: what failed, or what was done. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

const SHOWN_MS = 10_000;
const MAX_TOASTS = 3;

/** `fail(sentence)` interrupts a screen reader, `tell(sentence)` does not. */
export class Toasts {
  constructor(host) {
    this.stack = h("div", { class: "toasts" });
    this.host = host;
  }

  fail(sentence) {
    this.add(sentence, "alert", "warning", "is-failure");
  }

  tell(sentence) {
    this.add(sentence, "status", "check", "");
  }

  add(sentence, role, iconName, look) {
    this.surface();
    const close = h("button", { type: "button", class: "icon-button", "aria-label": "Dismiss" }, icon("close"));
    const words = h("p", { text: sentence });
    const toast = h("div", { class: `toast ${look}`, role }, icon(iconName), words, close);
    close.addEventListener("click", () => toast.remove());
    setTimeout(() => toast.remove(), SHOWN_MS);
    this.stack.append(toast);
    while (this.stack.children.length > MAX_TOASTS) this.stack.firstElementChild.remove();
  }

  /** Beneath an open modal nothing can be seen or read, so the stack moves into it. */
  surface() {
    const modals = document.querySelectorAll("dialog[open]");
    const host = modals[modals.length - 1] ?? this.host;
    if (this.stack.parentElement !== host) host.append(this.stack);
  }
}
