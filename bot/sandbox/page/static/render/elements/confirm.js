// Asking before an action: Slack's confirmation dialog.

import { el, freshId } from "../dom.js";
import { isObject } from "../shapes.js";
import { textNode, wordsOf } from "../text/object.js";

/** Whether the person agrees; at once when the element asks for no confirmation. */
export async function confirmed(node, ctx) {
  return isObject(node.confirm) ? ask(node.confirm, ctx) : true;
}

function ask(confirm, ctx) {
  const opener = document.activeElement;
  const dialog = build(confirm, ctx);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      opener?.focus?.();
      resolve(dialog.returnValue === "confirm");
    });
  });
}

function build(confirm, ctx) {
  const titleId = freshId("confirm");
  const yes = el(
    "button",
    { class: `k-button ${confirm.style === "danger" ? "k-danger" : "k-primary"}`, type: "button" },
    words(confirm.confirm, "Yes", ctx),
  );
  const no = el(
    "button",
    { class: "k-button", type: "button" },
    words(confirm.deny, "Cancel", ctx),
  );
  const dialog = el(
    "dialog",
    { class: "k-confirm", "aria-labelledby": titleId },
    el("h2", { id: titleId }, words(confirm.title, "Are you sure?", ctx)),
    el("div", { class: "k-confirm-text" }, words(confirm.text, "", ctx, textNode)),
    el("div", { class: "k-confirm-buttons" }, no, yes),
  );
  yes.addEventListener("click", () => dialog.close("confirm"));
  no.addEventListener("click", () => dialog.close("deny"));
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  return dialog;
}

function words(text, fallback, ctx, show = wordsOf) {
  try {
    return show(text, ctx);
  } catch {
    return fallback;
  }
}
