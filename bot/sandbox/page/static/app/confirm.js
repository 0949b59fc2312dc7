/** A question with two answers, in the browser's own modal dialog. */

import { freshId, h } from "./dom.js";

/** Resolves to whether the person agreed. */
export function confirm(title, question, agree) {
  const id = freshId("confirm");
  const cancel = h("button", { type: "submit", value: "no", class: "button", text: "Cancel" });
  const yes = h("button", { type: "submit", value: "yes", class: "button is-danger", text: agree });
  const dialog = h("dialog", { class: "modal is-small", role: "alertdialog", "aria-labelledby": id },
    h("form", { method: "dialog" },
      h("div", { class: "modal-head" }, h("h2", { id, text: title })),
      h("p", { class: "modal-body", text: question }),
      h("div", { class: "modal-foot" }, cancel, yes)));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}
