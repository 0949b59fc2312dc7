/** Where one writes: text with completion, files, emoji. Enter sends; a failure gives the draft back. */

import { grow, h, redraw, setAttribute, sizeLabel } from "../shared/dom.js";
import { icon, iconButton } from "../shared/icons.js";
import { toast } from "../shared/popup.js";
import { openEmojiPicker } from "./emoji.js";
import { complete, Offers } from "./offers.js";

const COMMAND = /^(\/\S+)(?:\s+([\s\S]*))?$/;

export class Composer {
  constructor(app) {
    this.app = app;
    this.where = { place: null };
    this.isWaiting = false;
    this.area = h("textarea", {
      class: "composer-text", rows: "1",
      on: {
        input: () => this.typed(),
        click: () => this.offer(),
        blur: () => this.offers.close(),
        keydown: (event) => this.press(event),
        paste: (event) => this.takeFiles(event, event.clipboardData),
      },
    });
    this.offers = new Offers(this.area, "Suggestions", ({ insert, start }) => this.replace(start, this.area.selectionStart, insert));
    this.chips = h("ul", { class: "file-chips", "aria-label": "Files to send", hidden: true });
    this.picker = h("input", { type: "file", multiple: true, hidden: true, tabindex: "-1", on: { change: () => this.addPicked() } });
    this.sendButton = h("button", {
      type: "button", class: "send-button", "aria-label": "Send", title: "Send (Enter)", on: { click: () => this.submit() },
    }, icon("send"));
    const tools = [
      iconButton("Attach files", "clip", () => this.picker.click()),
      iconButton("Emoji", "smile", (self) => openEmojiPicker(self, app.store, (name) => this.insert(`:${name}: `))),
      iconButton("Mention someone", "at", () => this.insert("@")),
    ];
    this.node = h("div", { class: "composer" }, this.offers.node, this.area, this.chips, this.picker,
      h("div", { class: "composer-bar" }, tools, h("span", { class: "spacer" }), this.sendButton));
    requestAnimationFrame(() => this.acceptDrops(this.node.closest(".pane")));
  }

  /** Files may be dropped anywhere on the pane. */
  acceptDrops(pane) {
    let depth = 0;
    const mark = (step) => {
      depth = Math.max(0, depth + step);
      pane.classList.toggle("is-dropping", depth > 0);
    };
    const isFiles = (event) => event.dataTransfer?.types.includes("Files");
    pane.addEventListener("dragenter", (event) => isFiles(event) && mark(1));
    pane.addEventListener("dragleave", (event) => isFiles(event) && mark(-1));
    pane.addEventListener("dragover", (event) => isFiles(event) && event.preventDefault());
    pane.addEventListener("drop", (event) => {
      mark(-depth);
      this.takeFiles(event, event.dataTransfer);
    });
  }

  /** `where` is `{place, channel, thread, label}`. Another place brings its own draft. */
  update(where) {
    const isMoved = this.where.place !== where.place;
    this.where = where;
    setAttribute(this.area, "aria-label", where.label);
    setAttribute(this.area, "placeholder", where.label);
    if (isMoved) this.load();
    if (this.isWaiting && !this.app.store.isSwitching) this.send();
  }

  get files() {
    return this.app.drafts.filesOf(this.where.place);
  }

  /** Shows the draft of this place. */
  load() {
    this.area.value = this.app.drafts.text(this.where.place);
    this.offers.close();
    this.fit();
  }

  fit() {
    const { files } = this;
    redraw(this.chips, `${this.where.place}|${files.map(({ name }) => name)}`, () => files.map((file) => this.chip(file)));
    requestAnimationFrame(() => grow(this.area));
    this.sendButton.classList.toggle("is-idle", !this.app.drafts.has(this.where.place));
  }

  chip(file) {
    const remove = iconButton(`Remove ${file.name}`, "close", () => this.setFiles(this.files.filter((other) => other !== file)));
    return h("li", { class: "file-chip" }, icon("file"),
      h("span", { class: "truncate", text: file.name }), h("span", { class: "muted", text: sizeLabel(file.size) }), remove);
  }

  focus() {
    this.area.focus({ preventScroll: true });
  }

  typed() {
    this.app.drafts.setText(this.where.place, this.area.value);
    this.fit();
    this.offer();
  }

  offer() {
    const { selectionStart, selectionEnd, value } = this.area;
    const channel = this.app.store.channel(this.where.channel);
    const isTyping = selectionStart === selectionEnd;
    this.offers.open(isTyping ? complete(value.slice(0, selectionStart), channel, this.app.store, this.where.thread) : []);
  }

  press(event) {
    if (this.offers.take(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "ArrowUp" && this.area.value === "") {
      event.preventDefault();
      this.app.editLast(this.where);
    }
  }

  /** Sends from where the person is now, which the next frame has yet to draw. */
  submit() {
    this.app.draw();
    this.send();
  }

  /** While another person is being switched to, it waits for them: nobody else's name goes on it. */
  async send() {
    const { app, where, files } = this;
    this.isWaiting = app.store.isSwitching;
    const text = this.area.value.trim();
    this.focus();
    if (this.isWaiting || (!text && files.length === 0)) return;
    app.drafts.setText(where.place, "");
    this.setFiles([]);
    this.load();
    if (await this.deliver(text, files, where)) return;
    app.drafts.restore(where.place, text, files);
    if (this.where.place === where.place) this.load();
  }

  deliver(text, files, { channel, thread }) {
    const [, command, rest = ""] = COMMAND.exec(text) ?? [];
    if (!command) return this.app.attempt("say", { channel, text, thread_ts: thread }, files);
    if (thread) {
      toast(`${command} does not work in threads: Slack takes commands in channels only.`, { isFailure: true });
      return null;
    }
    const isKnown = this.app.store.team.commands.some((known) => known.command === command);
    if (isKnown && files.length === 0) return this.app.attempt("slash", { channel, command, text: rest });
    toast(isKnown ? "A command cannot carry files." : `${command} is not a command of this app.`, { isFailure: true });
    return null;
  }

  insert(text) {
    const { selectionStart, selectionEnd, value } = this.area;
    const needsSpace = text === "@" && /\S$/.test(value.slice(0, selectionStart));
    this.replace(selectionStart, selectionEnd, needsSpace ? ` ${text}` : text);
  }

  replace(start, end, text) {
    this.area.setRangeText(text, start, end, "end");
    this.focus();
    this.typed();
  }

  takeFiles(event, transfer) {
    if (!transfer?.files.length) return;
    event.preventDefault();
    this.addFiles(transfer.files);
  }

  addPicked() {
    this.addFiles(this.picker.files);
    this.picker.value = "";
  }

  addFiles(files) {
    this.setFiles([...this.files, ...files]);
    this.focus();
  }

  setFiles(files) {
    this.app.drafts.setFiles(this.where.place, files);
    this.fit();
  }
}
