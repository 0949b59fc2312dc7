/** Where one writes: text with completion, files, emoji, shortcuts. Enter sends. */

import { complete } from "./completion.js";
import { h, setAttribute, show } from "./dom.js";
import { acceptFiles, FileChips } from "./files.js";
import { grow } from "./grow.js";
import { icon } from "./icons.js";
import { Offers } from "./offers.js";
import { openEmojiPicker } from "./picker.js";
import { openMenu } from "./popup.js";
import { send } from "./sending.js";

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
        keydown: (event) => this.press(event),
        paste: (event) => this.paste(event),
      },
    });
    this.offers = new Offers(this.area, app.store, (offer, start) => this.insertOffer(offer, start));
    this.chips = new FileChips((files) => this.setFiles(files));
    this.picker = h("input", { type: "file", multiple: true, hidden: true, tabindex: "-1", on: { change: () => this.addPicked() } });
    this.broadcast = h("input", { type: "checkbox" });
    this.broadcastLine = h("label", { class: "broadcast" }, this.broadcast, h("span"));
    this.sendButton = h("button", {
      type: "button", class: "send-button", "aria-label": "Send", title: "Send (Enter)", on: { click: () => this.submit() },
    }, icon("send"));
    this.node = h("div", { class: "composer" }, this.offers.node, this.area, this.chips.node, this.picker,
      h("div", { class: "composer-bar" }, ...this.tools(), this.broadcastLine, h("span", { class: "spacer" }), this.sendButton));
    acceptFiles(this.node, (files) => this.addFiles(files));
  }

  tools() {
    this.shortcutButton = this.tool("Shortcuts", "bolt", (self) => this.openShortcuts(self));
    return [
      this.tool("Attach files", "clip", () => this.picker.click()),
      this.tool("Emoji", "smile", (self) => openEmojiPicker(self, (name) => this.insert(`:${name}: `))),
      this.tool("Mention someone", "at", () => this.insert("@")),
      this.shortcutButton,
    ];
  }

  tool(label, iconName, run) {
    const self = h("button", {
      type: "button", class: "icon-button", "aria-label": label, title: label, on: { click: () => run(self) },
    }, icon(iconName));
    return self;
  }

  /** `where` is `{place, channel, thread, label}`. Another place brings its own draft. */
  update(where) {
    const isMoved = this.where.place !== where.place;
    this.where = where;
    setAttribute(this.area, "aria-label", where.label);
    setAttribute(this.area, "placeholder", where.label);
    show(this.broadcastLine, where.thread !== null && !this.app.store.channel(where.channel).is_im);
    show(this.shortcutButton, this.app.store.world.shortcuts.some(({ type }) => type === "global"));
    if (isMoved) this.broadcast.checked = false;
    this.broadcastLine.lastElementChild.textContent = "Also send to the channel";
    if (isMoved) this.load();
    if (this.isWaiting && !this.app.store.isSwitching) this.send();
  }

  /** Shows the draft of this place. */
  load() {
    const { drafts } = this.app;
    this.area.value = drafts.text(this.where.place);
    this.chips.update(drafts.filesOf(this.where.place));
    this.offers.close();
    this.fit();
  }

  fit() {
    requestAnimationFrame(() => grow(this.area));
    const isEmpty = !this.app.drafts.has(this.where.place);
    this.sendButton.classList.toggle("is-idle", isEmpty);
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
    if (selectionStart !== selectionEnd) return this.offers.close();
    const channel = this.app.store.channel(this.where.channel);
    this.offers.open(complete(value.slice(0, selectionStart), channel, this.app.store));
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
  send() {
    this.isWaiting = this.app.store.isSwitching;
    if (this.isWaiting) return;
    const text = this.area.value.trim();
    const files = this.app.drafts.filesOf(this.where.place);
    this.focus();
    if (!text && files.length === 0) return;
    const message = { ...this.where, text, files, broadcast: this.broadcast.checked };
    this.app.drafts.setText(this.where.place, "");
    this.app.drafts.setFiles(this.where.place, []);
    this.load();
    send(message, this.app, () => this.where.place === message.place && this.load());
  }

  insert(text) {
    const { selectionStart, selectionEnd, value } = this.area;
    const needsSpace = text === "@" && /\S$/.test(value.slice(0, selectionStart));
    this.replace(selectionStart, selectionEnd, needsSpace ? ` ${text}` : text);
  }

  insertOffer(offer, start) {
    this.replace(start, this.area.selectionStart, offer.insert);
  }

  replace(start, end, text) {
    this.area.setRangeText(text, start, end, "end");
    this.focus();
    this.typed();
  }

  paste(event) {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    this.addFiles(files);
  }

  addPicked() {
    this.addFiles([...this.picker.files]);
    this.picker.value = "";
  }

  addFiles(files) {
    this.setFiles([...this.app.drafts.filesOf(this.where.place), ...files]);
    this.focus();
  }

  setFiles(files) {
    this.app.drafts.setFiles(this.where.place, files);
    this.chips.update(files);
    this.fit();
  }

  openShortcuts(anchor) {
    const shortcuts = this.app.store.world.shortcuts.filter(({ type }) => type === "global");
    const entries = shortcuts.map(({ name, description, callback_id }) => ({
      label: name,
      hint: description,
      icon: "bolt",
      run: () => this.app.attempt("shortcut", { callback_id }),
    }));
    openMenu(anchor, entries, { label: "Shortcuts", iconOf: icon });
  }
}
