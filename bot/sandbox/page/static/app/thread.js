/** The thread pane: a root, its replies, what the agent is doing, and a composer. */

import { Composer } from "./composer.js";
import { h, setText, show } from "./dom.js";
import { draftPlace } from "./drafts.js";
import { MessageList } from "./messages.js";
import { mayPost, placeName } from "./names.js";
import { paneHead } from "./pane_head.js";
import { threadRows } from "./rows.js";
import { sessionLine } from "./session.js";

export class ThreadPane {
  constructor(app) {
    this.app = app;
    this.subtitle = h("span", { class: "head-topic" });
    this.composer = new Composer(app);
    this.status = h("div", { class: "thread-status" });
    this.body = h("div", { class: "channel-body" });
    this.node = h("aside", { class: "pane pane-thread", "aria-label": "Thread", hidden: true },
      paneHead("Thread", this.subtitle, () => app.places.close("thread")),
      this.body,
      h("div", { class: "channel-foot" }, this.status, this.composer.node));
  }

  update() {
    const { app } = this;
    const { store } = app;
    const { channel: id, thread } = app.places.place;
    const isNew = thread !== null && this.node.hidden;
    show(this.node, thread !== null);
    if (thread === null) {
      this.key = null;
      return;
    }
    this.useList(`${id}/${thread}`);
    const session = store.session(id, thread);
    const channel = store.channel(id);
    setText(this.subtitle, session?.title || placeName(channel, store));
    this.list.update(threadRows(id, thread, store, app.editing));
    this.updateStatus(session);
    this.composer.update({ place: draftPlace(store.person, id, thread), channel: id, thread, label: "Reply in thread" });
    show(this.composer.node, mayPost(channel));
    if (isNew && app.isSettled) this.composer.focus();
  }

  useList(key) {
    if (this.key === key) return;
    this.key = key;
    this.list = new MessageList(this.app, { label: "Messages in this thread" });
    this.body.replaceChildren(this.list.node);
  }

  updateStatus(session) {
    const mark = session ? JSON.stringify(session) : "";
    if (this.statusMark === mark) return;
    this.statusMark = mark;
    const line = session ? sessionLine(session, this.app) : null;
    this.status.replaceChildren(...[line].filter(Boolean));
  }
}
