/** The file pane: a report, a picture or a text beside its thread. Foreign HTML runs no script. */

import { isReadable } from "../render/files.js";
import { sizeText } from "../render/numbers.js";
import { callsButton } from "./calls_button.js";
import { h, setAttribute, setText, show } from "./dom.js";
import { icon } from "./icons.js";
import { paneHead } from "./pane_head.js";

export class FilePane {
  constructor(app) {
    this.app = app;
    this.facts = h("span", { class: "head-topic" });
    this.open = linkButton("Open in a new tab", "open", { target: "_blank", rel: "noopener" });
    this.download = linkButton("Download", "download");
    this.body = h("div", { class: "file-body" });
    this.calls = callsButton(app);
    const controls = [this.calls, this.open, this.download];
    this.head = paneHead("File", this.facts, () => app.places.close("file"), controls);
    this.title = this.head.querySelector(".head-title");
    this.node = h("aside", { class: "pane pane-file", "aria-label": "File", hidden: true }, this.head, this.body);
  }

  update() {
    const { file, calls } = this.app.places.place;
    const isNew = Boolean(file) && this.node.hidden;
    show(this.node, Boolean(file));
    setAttribute(this.calls, "aria-pressed", String(calls));
    if (this.file !== file) this.load(file);
    if (isNew) this.head.querySelector(".close-button").focus();
  }

  load(file) {
    this.file = file;
    if (!file) return this.body.replaceChildren();
    setText(this.title, file.title || file.name);
    setText(this.facts, [file.name, sizeText(file.size ?? 0)].join(" · "));
    setAttribute(this.open, "href", file.url_private);
    setAttribute(this.download, "href", `${file.url_private}?download=1`);
    this.body.replaceChildren(this.content(file));
  }

  content(file) {
    const type = file.mimetype ?? "";
    if (type === "text/html") {
      return h("iframe", { class: "file-frame", sandbox: "", src: file.url_private, title: file.title || file.name });
    }
    if (type.startsWith("image/")) {
      return h("img", { class: "file-image", src: file.url_private, alt: file.alt_txt || file.title || file.name });
    }
    return isReadable(file) ? this.text(file) : this.noPreview(file);
  }

  text(file) {
    const pre = h("pre", { class: "file-text", tabindex: "0", "aria-label": file.name, text: "Loading…" });
    this.app.tried(async () => {
      const response = await fetch(file.url_private);
      pre.textContent = response.ok ? await response.text() : "This file could not be read.";
    });
    return pre;
  }

  noPreview(file) {
    return h("div", { class: "empty" }, icon("file"),
      h("h3", { text: "No preview" }),
      h("p", { text: `${file.name} can be downloaded.` }));
  }
}

function linkButton(label, iconName, attributes = {}) {
  return h("a", { class: "icon-button", "aria-label": label, title: label, ...attributes }, icon(iconName));
}
