/** The modal views of the app: the top one of the stack, in the browser's own modal dialog. */

import { carryOver, problems, showErrors, values, view as renderView } from "../render/view.js";
import { viewContext } from "./context.js";
import { freshId, h, tabStops } from "./dom.js";
import { icon } from "./icons.js";

/** Views below the top one keep what was entered into them. */
export class Modals {
  constructor(app) {
    this.app = app;
    this.frames = new Map();
    this.dialog = h("dialog", { class: "modal", role: "dialog" });
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.closeTop();
    });
    this.holder = h("div");
    this.dialog.append(this.holder);
    document.body.append(this.dialog);
    this.opener = null;
  }

  update() {
    const views = this.app.store.world.modals;
    const ids = new Set(views.map((view) => view.id));
    for (const id of this.frames.keys()) {
      if (!ids.has(id)) this.frames.delete(id);
    }
    for (const view of views) this.keep(view);
    this.showTop(views);
  }

  keep(view) {
    const known = this.frames.get(view.id);
    if (known?.view.hash === view.hash) return;
    const frame = this.frame(view);
    if (known) carryOver(known.body, frame.body);
    this.frames.set(view.id, frame);
  }

  showTop(views) {
    const top = views.at(-1);
    if (!top) {
      if (this.dialog.open) this.hide();
      return;
    }
    const frame = this.frames.get(top.id);
    const isNew = this.holder.firstElementChild !== frame.node;
    if (isNew) {
      this.holder.replaceChildren(frame.node);
      this.dialog.setAttribute("aria-labelledby", frame.titleId);
    }
    frame.back.hidden = views.length < 2;
    if (!this.dialog.open) {
      this.opener = document.activeElement;
      this.dialog.showModal();
      this.app.toasts.surface();
    }
    if (isNew) (tabStops(frame.body)[0] ?? frame.cancel).focus();
  }

  hide() {
    this.dialog.close();
    this.holder.replaceChildren();
    this.app.toasts.surface();
    if (this.opener?.isConnected) this.opener.focus();
  }

  frame(view) {
    const titleId = freshId("modal");
    const body = renderView(view, viewContext(this.app, view.id));
    const cancel = h("button", { type: "button", class: "button", text: textOf(view.close, view.submit ? "Cancel" : "Close"), on: { click: () => this.close(view.id) } });
    const submit = view.submit
      ? h("button", { type: "button", class: "button is-primary", text: textOf(view.submit, "Submit") })
      : null;
    const back = iconButton("Back to the previous step", "back", () => this.close(view.id));
    const cross = iconButton("Close", "close", () => this.close(view.id, this.frames.size > 1));
    const node = h("div", { class: "modal-frame" },
      h("div", { class: "modal-head" }, back, h("h2", { id: titleId, text: textOf(view.title, "Untitled") }), cross),
      h("div", { class: "modal-body" }, body),
      h("div", { class: "modal-foot" }, cancel, submit));
    submit?.addEventListener("click", () => this.submit(view.id, body, submit));
    return { view, node, body, titleId, back, cancel };
  }

  async submit(id, body, button) {
    const wrong = problems(body);
    showErrors(body, wrong);
    if (Object.keys(wrong).length > 0) return;
    button.disabled = true;
    const answer = await this.app.attempt("submit_view", { view_id: id, values: values(body) });
    button.disabled = false;
    if (answer) showErrors(body, answer.errors ?? {});
  }

  close(id, all = false) {
    return this.app.attempt("close_view", all ? { view_id: id, all } : { view_id: id });
  }

  closeTop() {
    const top = this.app.store.world.modals.at(-1);
    if (top) this.close(top.id);
  }
}

function iconButton(label, iconName, run) {
  return h("button", { type: "button", class: "icon-button", "aria-label": label, on: { click: run } }, icon(iconName));
}

function textOf(textObject, fallback) {
  return textObject?.text || fallback;
}
