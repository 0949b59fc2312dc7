/** Editing one's own post in its place. */

import { h } from "./dom.js";
import { grow } from "./grow.js";
import { toTyped } from "./wire.js";

/** The form that stands where the post's body was. */
export function editor(row, app) {
  const { channel, post } = row;
  const area = h("textarea", { class: "composer-text", "aria-label": "Edit message", rows: "1" });
  area.value = toTyped(post.text ?? "", app.store);
  const save = async () => {
    const text = area.value.trim();
    if (!text) return app.toasts.fail("A message needs some text. To remove it, delete it.");
    if (await app.attempt("edit", { channel, ts: post.ts, text })) app.edit(null);
  };
  area.addEventListener("input", () => grow(area));
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      save();
    }
  });
  queueMicrotask(() => focusAtEnd(area));
  return h("div", { class: "editor" }, area, h("div", { class: "editor-foot" },
    h("span", { class: "hint", text: "Esc to cancel, Enter to save" }),
    h("button", { type: "button", class: "button is-small", text: "Cancel", on: { click: () => app.edit(null) } }),
    h("button", { type: "button", class: "button is-primary is-small", text: "Save", on: { click: save } })));
}

function focusAtEnd(area) {
  grow(area);
  area.focus();
  area.setSelectionRange(area.value.length, area.value.length);
}
