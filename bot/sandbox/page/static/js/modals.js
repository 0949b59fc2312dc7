/** The modal views of the app: the top one of the stack, in the browser's own modal dialog. */

import { blocks } from "./blocks/blocks.js";
import { carryOver, problems, showErrors, values } from "./blocks/view.js";
import { freshId, h, tabStops } from "./dom.js";
import { button, iconButton } from "./icons.js";
import { surfaceToasts } from "./popup.js";

/** Views below the top one keep what was entered into them. */
export class Modals {
  constructor(app) {
    this.app = app;
    this.frames = new Map();
    this.dialog = h("dialog", { class: "modal" });
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      const top = app.store.modals.at(-1);
      if (top) this.close(top.id);
    });
    document.body.append(this.dialog);
  }

  update() {
    const views = this.app.store.modals;
    const ids = views.map(({ id }) => id);
    for (const id of this.frames.keys()) if (!ids.includes(id)) this.frames.delete(id);
    for (const view of views) this.keep(view);
    if (views.length > 0) this.showTop(views);
    else if (this.dialog.open) this.hide();
  }

  keep(view) {
    const known = this.frames.get(view.id);
    if (known?.hash === view.hash) return;
    const frame = this.frame(view);
    if (known) carryOver(known.body, frame.body);
    this.frames.set(view.id, frame);
  }

  showTop(views) {
    const frame = this.frames.get(views.at(-1).id);
    const isNew = this.dialog.firstElementChild !== frame.node;
    if (isNew) this.dialog.replaceChildren(frame.node);
    this.dialog.setAttribute("aria-labelledby", frame.titleId);
    frame.back.hidden = views.length < 2;
    if (!this.dialog.open) {
      this.opener = document.activeElement;
      this.dialog.showModal();
    }
    surfaceToasts();
    if (isNew) (tabStops(frame.body)[0] ?? frame.cancel).focus();
  }

  hide() {
    this.dialog.close();
    surfaceToasts();
    this.dialog.replaceChildren();
    if (this.opener?.isConnected) this.opener.focus();
  }

  frame({ id, hash, title, submit, close, blocks: list }) {
    const { app } = this;
    const titleId = freshId("modal");
    const act = (action) => app.attempt("click", { view_id: id, ...action });
    const body = blocks(list, { store: app.store, scope: `view/${id}`, onAction: act });
    const cancel = button(close?.text || (submit ? "Cancel" : "Close"), () => this.close(id), "");
    const send = submit ? button(submit.text, () => this.submit(id, body, send), "is-primary") : null;
    const back = iconButton("Back to the previous step", "back", () => this.close(id));
    const cross = iconButton("Close", "close", () => this.close(id, this.frames.size > 1));
    const node = h("div", { class: "modal-frame" },
      h("div", { class: "modal-head" }, back, h("h2", { id: titleId, text: title?.text ?? "" }), cross),
      h("div", { class: "modal-body" }, body),
      h("div", { class: "modal-foot" }, cancel, send));
    return { hash, node, body, titleId, back, cancel };
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

  close(id, every = false) {
    return this.app.attempt("close_view", { view_id: id, every });
  }
}
