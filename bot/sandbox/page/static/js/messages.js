/** A list of posts, of one channel or one thread: its rows, its scrolling, and the keys that move through it. */

import { h, setText, show, stepOf } from "../shared/dom.js";
import { icon } from "../shared/icons.js";
import { KeyedList } from "../shared/keyed.js";
import { deletedItem, postItem } from "./post.js";
import { isReply, isSystem, rootTs } from "./store.js";
import { agoLabel, count, dayKey, dayLabel } from "./words.js";

const GROUP_S = 300;
const NEAR_PX = 40;
const MAKE = { post: postItem, deleted: deletedItem, line: lineItem };

export class MessageList {
  /** `before` is what stands above the first post. */
  constructor(app, { label, before = null }) {
    this.app = app;
    this.content = h("div", { class: "posts" });
    this.log = h("div", {
      class: "log", role: "log", "aria-label": label, "aria-live": "off", tabindex: "0",
      on: { keydown: (event) => this.move(event) },
    }, before, this.content);
    this.jump = h("button", { type: "button", class: "jump", hidden: true }, icon("down"), "New messages");
    this.node = h("div", { class: "log-frame" }, this.log, this.jump);
    this.list = new KeyedList(this.content, (row) => MAKE[row.kind](row, app));
    this.scroller = new Scroller(this.log, this.content, (isAtBottom) => isAtBottom && show(this.jump, false));
    this.jump.addEventListener("click", () => this.scroller.toBottom());
    this.isFilled = false;
  }

  update(rows) {
    const added = this.list.update(rows);
    const hasNews = this.isFilled && added.includes(this.content.lastElementChild) && !this.scroller.isAtBottom;
    if (hasNews && rows.at(-1).post?.user === this.app.store.me) this.scroller.toBottom();
    else if (hasNews) show(this.jump, true);
    this.isFilled = true;
    this.scroller.settle();
  }

  /** Arrows move the focus from post to post, but not inside of a post's own controls. */
  move(event) {
    const step = stepOf(event);
    if (!step || (event.target !== this.log && !event.target.matches("article"))) return;
    event.preventDefault();
    const posts = [...this.content.querySelectorAll("article")];
    const index = posts.indexOf(document.activeElement);
    (index < 0 ? posts.at(-1) : posts[index + step])?.focus();
  }
}

/** A scrolled element that stays at its bottom while the reader is there, and stays put while not. */
export class Scroller {
  /** Call `settle()` after each change of the content; `onMove(isAtBottom)` hears of the reader. */
  constructor(element, content, onMove = () => {}) {
    this.element = element;
    this.onMove = onMove;
    this.isAtBottom = true;
    this.top = 0;
    element.addEventListener("scroll", () => this.notice(), { passive: true });
    const observer = new ResizeObserver(() => this.settle());
    observer.observe(content);
    observer.observe(element);
  }

  /** Only who moves back leaves the bottom: a picture that comes late has moved it away from the reader. */
  notice() {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    const isBack = scrollTop < this.top;
    this.top = scrollTop;
    this.isAtBottom = scrollHeight - scrollTop - clientHeight < NEAR_PX || (this.isAtBottom && !isBack);
    this.onMove(this.isAtBottom);
  }

  /** The element is back in the page: not every browser knows where it was. */
  restore() {
    if (this.isAtBottom) this.settle();
    else this.element.scrollTop = this.top;
  }

  settle() {
    if (this.isAtBottom) this.element.scrollTop = this.element.scrollHeight;
  }

  toBottom() {
    this.isAtBottom = true;
    this.settle();
    this.onMove(true);
  }
}

/** A line across the list: a day, "New", the count of replies. */
function lineItem(row) {
  const label = h("span", { text: row.label });
  return { node: h("div", { class: `list-line is-${row.look}` }, label), update: (next) => setText(label, next.label) };
}

/** The rows of a channel: days, the line above what is new, posts grouped by author, deleted roots. */
export function channelRows(channel, app) {
  const { store, unread, editing } = app;
  const posts = store.postsOf(channel);
  const rows = [];
  let before = null;
  let newAfter = unread.divider.ts;
  for (const post of posts.inChannel) {
    const isNewDay = !before || dayKey(before.ts) !== dayKey(post.ts);
    if (isNewDay) rows.push(line("day", dayLabel(post.ts, store.now()), `day-${dayKey(post.ts)}`));
    const isFirstNew = newAfter && post.ts > newAfter && post.user !== store.me;
    if (isFirstNew) rows.push(line("new", "New"));
    if (isFirstNew) newAfter = null;
    const row = { ...postRow(post, isNewDay || isFirstNew ? null : before), ...threadFacts(channel, post, posts, app) };
    rows.push(finish({ ...row, channel, place: "channel" }, store, editing));
    before = post;
  }
  return rows;
}

/** The rows of a thread: its root, the count of replies, the replies. */
export function threadRows(channel, root, { store, editing }) {
  const posts = store.postsOf(channel);
  const replies = posts.replies(root);
  const counted = inSight(replies).length;
  const rows = [
    postRow(posts.get(root) ?? { ts: root, deleted: true }, null),
    ...replies.map((post, index) => postRow(post, replies[index - 1] ?? null)),
  ].map((row) => finish({ ...row, channel, place: "thread" }, store, editing));
  if (counted > 0) rows.splice(1, 0, line("count", count(counted, "reply", "replies")));
  return rows;
}

function line(look, label, key = look) {
  return { key, kind: "line", look, label };
}

function postRow(post, before) {
  return { key: post.ts, kind: isDeleted(post) ? "deleted" : "post", post, isGrouped: Boolean(before) && belongsTo(before, post) };
}

function belongsTo(before, post) {
  const arePlain = [before, post].every((one) => !isDeleted(one) && !isSystem(one) && !one.ephemeral_to);
  const isSoon = Number(post.ts) - Number(before.ts) < GROUP_S;
  return arePlain && isSoon && before.user === post.user && isReply(before) === isReply(post);
}

/** Slack leaves a tombstone where a thread's root was; a root that cannot be read is told the same. */
function isDeleted(post) {
  return Boolean(post.deleted) || post.subtype === "tombstone";
}

/** The replies that Slack counts: not those for one person alone. */
function inSight(replies) {
  return replies.filter((reply) => !reply.ephemeral_to);
}

function threadFacts(channel, post, posts, { store, unread }) {
  if (!isDeleted(post) && isReply(post)) return { replies: [], summary: "", isNew: false, session: null };
  const root = isDeleted(post) ? post.ts : rootTs(post);
  const replies = inSight(posts.replies(root));
  const summary = replies.length ? `Last reply ${agoLabel(replies.at(-1).ts, store.now())}` : "";
  return { replies, summary, session: store.session(channel, root), isNew: unread.isThreadNew(channel, root) };
}

/** Adds the mark by which a list sees that a row with the same post must be drawn again. */
function finish(row, store, editing) {
  const isEdited = editing?.channel === row.channel && editing.ts === row.key && editing.place === row.place;
  const { isGrouped, summary = "", replies = [], isNew = false, session } = row;
  const doing = session ? `${session.status}/${session.status_text}/${session.loading_messages}` : "";
  return { ...row, isEdited, mark: [store.me, isGrouped, replies.length, summary, isNew, doing, isEdited].join("|") };
}
