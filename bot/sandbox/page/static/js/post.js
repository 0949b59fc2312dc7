/** One post as it stands in a list, with its toolbar. Only the parts that changed are drawn again. */

import { grow, h, redraw } from "../shared/dom.js";
import { botMark, button, icon, iconButton } from "../shared/icons.js";
import { confirm, openMenu, toast } from "../shared/popup.js";
import { blocks } from "./blocks/blocks.js";
import { fileList } from "./blocks/files.js";
import { carryOver } from "./blocks/view.js";
import { emoji, openEmojiPicker } from "./emoji.js";
import { texts } from "./markup.js";
import { avatar, faces } from "./people.js";
import { isSystem, rootTs } from "./store.js";
import { authorName, count, dateOf, fullLabel, timeLabel, userName } from "./words.js";

const FOLDED_FROM_CHARS = 6000;
const MAX_JUMBO = 23;
const ROTATE_MS = 3000;

/** `{node, update(row)}` for a KeyedList. */
export function postItem(row, app) {
  return new PostItem(row, app);
}

class PostItem {
  constructor(row, app) {
    this.app = app;
    const slot = (name) => h("div", { class: `post-${name}` });
    this.slots = Object.fromEntries(["gutter", "notice", "author", "body", "reactions", "summary", "session"].map((name) => [name, slot(name)]));
    const { gutter, ...main } = this.slots;
    this.node = h("article", {
      class: "post", tabindex: "-1", dataset: { ts: row.post.ts },
      on: { pointerenter: () => this.equip(), focusin: () => this.equip() },
    }, gutter, h("div", { class: "post-main" }, Object.values(main)));
    this.update(row);
  }

  update(row) {
    if (this.row?.post === row.post && this.row.mark === row.mark) return;
    this.row = row;
    const { post, isGrouped, isEdited } = row;
    const { store } = this.app;
    const looks = { "is-grouped": isGrouped, "is-ephemeral": post.ephemeral_to, "is-system": isSystem(post), "is-editing": isEdited };
    for (const [look, isOn] of Object.entries(looks)) this.node.classList.toggle(look, Boolean(isOn));
    this.node.setAttribute("aria-label", `${authorName(post, store)}, ${timeLabel(post.ts)}`);
    this.draw("gutter", isGrouped, () => this.gutter());
    this.draw("notice", "", () => this.notice());
    this.draw("author", isGrouped, () => this.author());
    this.draw("body", isEdited ? "editing" : contentMark(post), () => (isEdited ? editor(row, this.app) : this.body()));
    this.draw("reactions", JSON.stringify(post.reactions), () => reactionBar(row, this.app));
    this.draw("summary", row.mark, () => threadSummary(row, this.app));
    this.draw("session", row.mark, () => (row.place === "channel" ? sessionLine(row.session, this.app) : null));
  }

  draw(slot, mark, content) {
    redraw(this.slots[slot], `${this.app.store.me}|${mark}`, content);
  }

  gutter() {
    const { post, isGrouped } = this.row;
    const { store } = this.app;
    if (isGrouped || isSystem(post)) return timeOf(post, "gutter-time");
    return avatar(store.user(post.user) ?? { id: post.user }, store);
  }

  notice() {
    const { post } = this.row;
    return post.ephemeral_to ? [icon("eye"), h("span", { text: "Only visible to you" })] : null;
  }

  author() {
    const { post, isGrouped } = this.row;
    if (isGrouped || isSystem(post)) return null;
    const name = h("button", {
      type: "button", class: "author-name", text: authorName(post, this.app.store),
      on: { click: () => this.app.openProfile(post.user, name) },
    });
    return [name, post.bot_id ? h("span", { class: "app-badge", text: "App" }) : null, timeOf(post, "author-time")];
  }

  body() {
    const { post, channel } = this.row;
    const { app } = this;
    const act = (action) => app.attempt("click", { channel, ts: post.ts, ...action });
    const ctx = { store: app.store, scope: `${channel}/${post.ts}`, onAction: act };
    const said = post.blocks.length ? blocks(post.blocks, ctx) : post.text ? jumbo(texts(post.html)) : null;
    const files = post.files.length ? fileList(post.files, (file) => app.places.openFile(file)) : null;
    const edited = post.edited ? h("span", { class: "post-edited", text: "(edited)" }) : null;
    const body = h("div", {}, said, files, post.is_running ? writingMark() : null, edited);
    carryOver(this.slots.body, body);
    return fold(body, post, app.unfolded);
  }

  /** The toolbar is made when it is first wanted: a long list has hundreds of posts. */
  equip() {
    if (this.toolbar) return;
    const { app } = this;
    const react = iconButton("Add reaction", "smileAdd", (self) =>
      openEmojiPicker(self, app.store, (name) => app.react(this.row, name)));
    const reply = iconButton("Reply in thread", "reply", () => app.places.openThread(rootTs(this.row.post)));
    const more = iconButton("More actions", "more", (self) => openMenu(self, entries(this.row, app), "More actions"));
    const buttons = this.row.post.ephemeral_to ? [more] : this.row.place === "thread" ? [react, more] : [react, reply, more];
    this.toolbar = h("div", { class: "post-actions", role: "group", "aria-label": "Message actions" }, buttons);
    this.node.append(this.toolbar);
  }
}

/** What the body of a post is drawn from; reactions and replies are not among it. */
function contentMark({ text, html, blocks: shown, files, edited, is_running: isRunning }) {
  return JSON.stringify([text, html, shown, files, edited, isRunning]);
}

/** A root that was deleted while its replies remain. */
export function deletedItem(row, app) {
  const summary = h("div", { class: "post-summary" });
  const gone = h("span", { class: "avatar avatar-m is-gone", "aria-hidden": "true" }, icon("trash"));
  const node = h("article", { class: "post is-deleted", tabindex: "-1", dataset: { ts: row.post.ts } },
    h("div", { class: "post-gutter" }, gone),
    h("div", { class: "post-main" }, h("p", { class: "deleted-words", text: "This message was deleted." }), summary));
  const update = (next) => redraw(summary, next.mark, () => threadSummary(next, app));
  update(row);
  return { node, update };
}

function entries(row, app) {
  const { channel, post } = row;
  const isMine = post.user === app.store.me && !post.ephemeral_to;
  const link = `${location.origin}/#${channel}/${rootTs(post)}`;
  return [
    isMine && { label: "Edit message", icon: "edit", run: () => app.edit(row) },
    ...shortcuts(row, app),
    { label: "Copy text", icon: "copy", run: () => copy(post.typed, "Text") },
    { label: "Copy link", icon: "link", run: () => copy(link, "Link") },
    isMine && { label: "Delete message", icon: "trash", isDanger: true, run: () => remove(row, app) },
  ].filter(Boolean);
}

/** What the app itself offers to do with a post. */
function shortcuts({ channel, post }, app) {
  if (post.ephemeral_to) return [];
  return app.store.team.shortcuts.map(({ name, callback_id: id }) => ({
    label: name, icon: "bolt", run: () => app.attempt("shortcut", { channel, ts: post.ts, callback_id: id }),
  }));
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    toast("The browser does not let this page copy.", { isFailure: true });
  }
}

async function remove({ channel, post }, app) {
  const question = "Delete this message? This cannot be undone.";
  const isAgreed = await confirm({ title: "Delete message", question, agree: "Delete" });
  if (isAgreed) await app.attempt("delete", { channel, ts: post.ts });
}

/** Editing one's own post in its place. */
function editor({ channel, post }, app) {
  const area = h("textarea", { class: "composer-text", "aria-label": "Edit message", rows: "1" });
  area.value = post.typed;
  const save = async () => {
    const text = area.value.trim();
    if (!text) toast("A message needs some text. To remove it, delete it.", { isFailure: true });
    else if (await app.attempt("edit", { channel, ts: post.ts, text })) app.edit(null);
  };
  area.addEventListener("input", () => grow(area));
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    save();
  });
  queueMicrotask(() => {
    grow(area);
    area.focus();
    area.setSelectionRange(area.value.length, area.value.length);
  });
  return h("div", { class: "editor" }, area, h("div", { class: "editor-foot" },
    h("span", { class: "hint muted", text: "Esc to cancel, Enter to save" }),
    button("Cancel", () => app.edit(null)),
    button("Save", save, "is-primary is-small")));
}

/** The reactions below a post: counted, named, and pressed to join or leave. */
function reactionBar(row, app) {
  const { store } = app;
  const reactions = row.post.reactions ?? [];
  if (reactions.length === 0) return null;
  const chips = reactions.map(({ name, users, count: total }) => {
    const isMine = users.includes(store.me);
    const names = new Intl.ListFormat("en").format(users.map((id) => (id === store.me ? "You" : userName(store.user(id), id))));
    return h("button", {
      type: "button", class: "reaction", title: `${names} reacted with :${name}:`, "aria-pressed": String(isMine),
      "aria-label": `${total} ${name}: ${names}`, on: { click: () => app.react(row, name, isMine) },
    }, h("span", { class: "reaction-emoji", text: emoji(name, store) }), h("span", { text: String(total) }));
  });
  const add = iconButton("Add another reaction", "smileAdd", () =>
    openEmojiPicker(add, store, (name) => app.react(row, name)), "reaction is-add");
  return [...chips, add];
}

/** The line below a post that leads into its thread: who replied, how often, when last. */
function threadSummary({ post, replies = [], summary, isNew, place }, app) {
  if (place === "thread" || replies.length === 0) return null;
  const users = [...new Set(replies.map((reply) => reply.user))];
  return h("button", {
    type: "button", class: isNew ? "thread-summary is-new" : "thread-summary", on: { click: () => app.places.openThread(post.ts) },
  },
  faces(users, app.store),
  h("span", { class: "summary-count", text: count(replies.length, "reply", "replies") }),
  h("span", { class: "summary-last truncate", text: isNew ? `New: ${summary.replace("Last", "last")}` : summary }),
  icon("next"));
}

/** What the agent is doing in a thread, with a button that stops it if it listens; null when it does nothing. */
export function sessionLine(session, app) {
  if (session?.status !== "processing") return null;
  const { bot } = app.store;
  const { channel, thread_ts, status_text: doing, loading_messages: loading } = session;
  const stop = h("button", {
    type: "button", class: "stop-button", on: { click: () => app.attempt("stop", { channel, thread_ts }) },
  }, icon("stop"), "Stop");
  return h("div", { class: "session-line" },
    h("span", { class: "avatar avatar-s is-bot is-busy", "aria-hidden": "true" }, botMark()),
    h("span", { class: "session-words truncate" }, h("strong", { text: bot.name }), ` ${doing || "is working…"}`),
    loading.length ? rotating(loading) : null,
    bot.can_be_stopped ? stop : null);
}

/** Slack shows the loading messages one after the other. */
function rotating(messages) {
  const line = h("span", { class: "session-loading truncate", text: messages[0] });
  let index = 0;
  const timer = setInterval(() => {
    if (!line.isConnected) return clearInterval(timer);
    index = (index + 1) % messages.length;
    line.textContent = messages[index];
  }, ROTATE_MS);
  return line;
}

/** Very long posts are shown in part, with "Show more"; `unfolded` is the set of posts already opened. */
function fold(body, post, unfolded) {
  if ((post.text ?? "").length < FOLDED_FROM_CHARS) return body;
  const clip = h("div", {}, body);
  const toggle = h("button", { type: "button", class: "text-button" });
  const settle = () => {
    const isOpen = unfolded.has(post.ts);
    clip.classList.toggle("is-folded", !isOpen);
    toggle.textContent = isOpen ? "Show less" : "Show more";
    toggle.setAttribute("aria-expanded", String(isOpen));
  };
  const open = (isOpen) => {
    if (isOpen) unfolded.add(post.ts);
    else unfolded.delete(post.ts);
    settle();
  };
  toggle.addEventListener("click", () => open(!unfolded.has(post.ts)));
  clip.addEventListener("focusin", () => open(true));
  settle();
  return [clip, toggle];
}

/** A few emoji alone are shown large. */
function jumbo(node) {
  const alone = [...node.childNodes].every((child) => child.className === "emoji" || !child.textContent.trim());
  const found = node.querySelectorAll(".emoji").length;
  node.classList.toggle("is-jumbo", alone && found > 0 && found <= MAX_JUMBO);
  return node;
}

function writingMark() {
  return h("div", { class: "writing", role: "img", "aria-label": "Still writing" }, [1, 2, 3].map(() => h("span")));
}

function timeOf({ ts }, look) {
  return h("time", { class: look, datetime: dateOf(ts).toISOString(), title: fullLabel(ts), text: timeLabel(ts) });
}
