/** What stands beside the channel: a thread, and a file. Foreign HTML runs no script. */

import { h, redraw, setAttribute, setText, show, sizeLabel } from "../shared/dom.js";
import { icon, iconButton } from "../shared/icons.js";
import { isReadable } from "./blocks/files.js";
import { callsButton } from "./channel.js";
import { Composer } from "./composer.js";
import { draftPlace } from "./drafts.js";
import { MessageList, threadRows } from "./messages.js";
import { sessionLine } from "./post.js";
import { mayPost, placeName } from "./words.js";

/** The head of a pane; on a phone the way out is an arrow on the left, else a cross on the right. */
export function paneHead(title, subtitle, close, controls = []) {
  const name = typeof title === "string" ? h("h2", { class: "head-title truncate", text: title }) : title;
  return h("header", { class: "pane-head" },
    iconButton("Back", "back", close, "back-button"),
    h("div", { class: "head-words" }, name, subtitle),
    h("span", { class: "spacer" }),
    controls,
    iconButton(`Close ${name.textContent.toLowerCase()}`, "close", close, "close-button"));
}

/** A root, its replies, what the agent is doing, and a composer. */
export class ThreadPane {
  constructor(app) {
    this.app = app;
    this.subtitle = h("span", { class: "head-topic truncate" });
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
    redraw(this.body, thread && `${id}/${thread}`, () => {
      this.list = new MessageList(app, { label: "Messages in this thread" });
      return this.list.node;
    });
    if (thread === null) return;
    const session = store.session(id, thread);
    const channel = store.channel(id);
    setText(this.subtitle, session?.title || placeName(channel, store));
    this.list.update(threadRows(id, thread, app));
    redraw(this.status, JSON.stringify(session), () => sessionLine(session, app));
    this.composer.update({ place: draftPlace(store.person, id, thread), channel: id, thread, label: "Reply in thread" });
    show(this.composer.node, mayPost(channel));
    if (isNew && app.isSettled) this.composer.focus();
  }
}

/** A report, a picture or a text beside its thread. */
export class FilePane {
  constructor(app) {
    this.app = app;
    this.title = h("h2", { class: "head-title truncate", text: "File" });
    this.facts = h("span", { class: "head-topic truncate" });
    this.open = linkButton("Open in a new tab", "open", { target: "_blank", rel: "noopener" });
    this.download = linkButton("Download", "download");
    this.body = h("div", { class: "file-body" });
    this.calls = callsButton(app);
    this.head = paneHead(this.title, this.facts, () => app.places.close("file"), [this.calls, this.open, this.download]);
    this.node = h("aside", { class: "pane pane-file", "aria-label": "File", hidden: true }, this.head, this.body);
  }

  update() {
    const { file, calls } = this.app.places.place;
    const isNew = Boolean(file) && this.node.hidden;
    show(this.node, Boolean(file));
    setAttribute(this.calls, "aria-pressed", String(calls));
    redraw(this.body, file?.id, () => file && this.load(file));
    if (isNew) this.head.querySelector(".close-button").focus();
  }

  load(file) {
    setText(this.title, file.title || file.name);
    setText(this.facts, [file.name, sizeLabel(file.size ?? 0)].join(" · "));
    setAttribute(this.open, "href", file.url_private);
    setAttribute(this.download, "href", `${file.url_private}?download=1`);
    const name = file.title || file.name;
    if (file.mimetype === "text/html") return h("iframe", { class: "file-frame", sandbox: "", src: file.url_private, title: name });
    if (file.mimetype?.startsWith("image/")) return h("img", { class: "file-image", src: file.url_private, alt: file.alt_txt || name });
    return isReadable(file) ? this.text(file) : noPreview(file);
  }

  text(file) {
    const pre = h("pre", { class: "file-text", tabindex: "0", "aria-label": file.name, text: "Loading…" });
    this.app.tried(async () => {
      const response = await fetch(file.url_private);
      pre.textContent = response.ok ? await response.text() : "This file could not be read.";
    });
    return pre;
  }
}

function noPreview(file) {
  return h("div", { class: "empty" }, icon("file"),
    h("h3", { text: "No preview" }),
    h("p", { text: `${file.name} can be downloaded.` }));
}

function linkButton(label, iconName, props = {}) {
  return h("a", { class: "icon-button", "aria-label": label, title: label, ...props }, icon(iconName));
}
