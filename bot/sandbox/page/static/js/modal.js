/** The modal view of the app, in the browser's own modal dialog. */

import { freshId, h, tabStops } from "../shared/dom.js";
import { button, iconButton } from "../shared/icons.js";
import { surfaceToasts } from "../shared/popup.js";
import { blocks } from "./blocks/blocks.js";
import { carryOver, problems, showErrors, values } from "./blocks/view.js";

export class Modal {
  constructor(app) {
    this.app = app;
    this.frame = null;
    this.dialog = h("dialog", { class: "modal" });
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (this.frame) this.close(this.frame.id);
    });
    document.body.append(this.dialog);
  }

  update() {
    const view = this.app.store.modal;
    if (view && view.hash !== this.frame?.hash) this.show(this.framed(view));
    else if (!view && this.frame) this.hide();
  }

  show(frame) {
    this.frame = frame;
    this.dialog.replaceChildren(frame.node);
    this.dialog.setAttribute("aria-labelledby", frame.titleId);
    if (!this.dialog.open) {
      this.opener = document.activeElement;
      this.dialog.showModal();
    }
    surfaceToasts();
    (tabStops(frame.body)[0] ?? frame.cancel).focus();
  }

  hide() {
    this.frame = null;
    this.dialog.close();
    surfaceToasts();
    this.dialog.replaceChildren();
    if (this.opener?.isConnected) this.opener.focus();
  }

  framed({ id, hash, title, submit, close, blocks: list }) {
    const { app } = this;
    const titleId = freshId("modal");
    const act = (action) => app.attempt("click", { view_id: id, ...action });
    const body = blocks(list, { store: app.store, scope: `view/${id}`, onAction: act });
    const cancel = button(close?.text || (submit ? "Cancel" : "Close"), () => this.close(id), "");
    const send = submit ? button(submit.text, () => this.submit(id, body, send), "is-primary") : null;
    const cross = iconButton("Close", "close", () => this.close(id));
    const node = h("div", { class: "modal-frame" },
      h("div", { class: "modal-head" }, h("h2", { id: titleId, text: title?.text ?? "" }), cross),
      h("div", { class: "modal-body" }, body),
      h("div", { class: "modal-foot" }, cancel, send));
    if (id === this.frame?.id) carryOver(this.frame.body, body);
    return { id, hash, node, body, titleId, cancel };
  }

  async submit(id, body, send) {
    const wrong = problems(body);
    showErrors(body, wrong);
    if (Object.keys(wrong).length > 0) return;
    send.disabled = true;
    const answer = await this.app.attempt("submit_view", { view_id: id, values: values(body) });
    send.disabled = false;
    if (answer) showErrors(body, answer.errors ?? {});
  }

  close(id) {
    return this.app.attempt("close_view", { view_id: id });
  }
}
