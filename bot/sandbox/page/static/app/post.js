/** One post as it stands in a list. Only the parts that changed are drawn again. */

import { postBody } from "../render/post.js";
import { carryOver } from "../render/view.js";
import { postToolbar } from "./actions.js";
import { postAvatar } from "./avatar.js";
import { postContext } from "./context.js";
import { h, setText, show } from "./dom.js";
import { editor } from "./editor.js";
import { fold } from "./fold.js";
import { icon } from "./icons.js";
import { authorName, isFromBot, placeName } from "./names.js";
import { isEphemeral } from "./posts.js";
import { reactionBar } from "./reactions.js";
import { isSystem } from "./rows.js";
import { sessionLine } from "./session.js";
import { threadSummary } from "./summary.js";
import { fullLabel, timeLabel } from "./time.js";
import { excerpt } from "./wire.js";

/** `{node, update(row)}` for a KeyedList. */
export function postItem(row, app) {
  return new PostItem(row, app);
}

class PostItem {
  constructor(row, app) {
    this.app = app;
    this.drawn = {};
    this.slots = {
      gutter: h("div", { class: "post-gutter" }),
      notice: h("div", { class: "post-notice" }),
      author: h("div", { class: "post-author" }),
      body: h("div", { class: "post-body" }),
      edited: h("span", { class: "post-edited", text: "(edited)" }),
      reactions: h("div", { class: "post-reactions" }),
      summary: h("div", { class: "post-summary" }),
      session: h("div", { class: "post-session" }),
    };
    const { gutter, ...main } = this.slots;
    this.node = h("article", {
      class: "post",
      tabindex: "-1",
      dataset: { ts: row.post.ts },
      on: { pointerenter: () => this.equip(), focusin: () => this.equip() },
    }, gutter, h("div", { class: "post-main" }, ...Object.values(main)));
    this.update(row);
  }

  update(row) {
    if (this.row?.post === row.post && this.row.mark === row.mark) return;
    this.row = row;
    this.drawFrame();
    this.draw("gutter", () => this.gutter());
    this.draw("notice", () => this.notice());
    this.draw("author", () => this.author());
    this.drawBody();
    show(this.slots.edited, Boolean(row.post.edited) && !row.isEdited);
    this.draw("reactions", () => reactionBar(row, this.app), JSON.stringify(row.post.reactions ?? []));
    this.draw("summary", () => threadSummary(row, this.app), summaryMark(row));
    this.draw("session", () => this.session(), row.mark);
  }

  /** Fills a slot anew if its mark differs from the one it was filled for. */
  draw(slot, fill, mark = this.frameMark()) {
    const whole = `${this.app.store.me}|${mark}`;
    if (this.drawn[slot] === whole) return;
    this.drawn[slot] = whole;
    const content = fill();
    this.slots[slot].replaceChildren(...[content].flat().filter(Boolean));
    show(this.slots[slot], Boolean(content));
  }

  frameMark() {
    const { post, isGrouped } = this.row;
    return `${isGrouped}|${post.user}|${post.username ?? ""}|${post.subtype ?? ""}`;
  }

  drawFrame() {
    const { post, isGrouped } = this.row;
    const { store } = this.app;
    const { classList } = this.node;
    classList.toggle("is-grouped", isGrouped);
    classList.toggle("is-ephemeral", isEphemeral(post));
    classList.toggle("is-system", isSystem(post));
    classList.toggle("is-editing", this.row.isEdited);
    this.node.setAttribute("aria-label", `${authorName(post, store)}, ${timeLabel(post.ts)}`);
  }

  gutter() {
    const { post, isGrouped } = this.row;
    if (!isGrouped && !isSystem(post)) return postAvatar(post, this.app.store);
    return timeOf(post, "gutter-time");
  }

  notice() {
    const { post, place, channel } = this.row;
    const { store } = this.app;
    if (isEphemeral(post)) return [icon("eye"), "Only visible to you"];
    if (post.subtype !== "thread_broadcast") return null;
    if (place === "thread") {
      return [icon("hash"), `Also sent to ${placeName(store.channel(channel), store)}`];
    }
    const root = store.post(channel, post.thread_ts);
    const words = root ? excerpt(root, store, 60) : "a deleted message";
    const link = h("button", {
      type: "button", class: "text-button", text: words,
      on: { click: () => this.app.places.openThread(post.thread_ts) },
    });
    return [icon("reply"), "Replied to a thread: ", link];
  }

  author() {
    const { post, isGrouped } = this.row;
    const { store } = this.app;
    if (isGrouped || isSystem(post)) return null;
    const name = h("button", {
      type: "button", class: "author-name", text: authorName(post, store),
      on: { click: () => this.app.openProfile(post.user, name) },
    });
    const isApp = isFromBot(post, store) || Boolean(post.bot_id);
    const badge = isApp ? h("span", { class: "app-badge", text: "App" }) : null;
    return [name, badge, timeOf(post, "author-time")];
  }

  drawBody() {
    const { post, isEdited, channel } = this.row;
    const mark = isEdited ? "editing" : contentMark(post);
    this.draw("body", () => {
      if (isEdited) return editor(this.row, this.app);
      const body = postBody(post, postContext(this.app, channel, post.ts));
      carryOver(this.slots.body, body);
      return fold(body, post, this.app.unfolded);
    }, mark);
  }

  session() {
    const { session, place } = this.row;
    return place === "channel" && session ? sessionLine(session, this.app) : null;
  }

  /** The toolbar is made when it is first wanted: a long list has hundreds of posts. */
  equip() {
    if (this.toolbar) return;
    this.toolbar = postToolbar(() => this.row, this.app);
    this.node.append(this.toolbar);
  }
}

/** A root that was deleted while its replies remain. */
export function deletedItem(row, app) {
  const words = h("p", { class: "deleted-words", text: "This message was deleted." });
  const summary = h("div", { class: "post-summary" });
  const gutter = h("div", { class: "post-gutter" }, h("span", { class: "avatar avatar-m is-gone", "aria-hidden": "true" }, icon("trash")));
  const main = h("div", { class: "post-main" }, words, summary);
  const node = h("article", { class: "post is-deleted", tabindex: "-1", dataset: { ts: row.post.ts } }, gutter, main);
  const update = (next) => {
    const content = threadSummary(next, app);
    summary.replaceChildren(...[content].filter(Boolean));
  };
  update(row);
  return { node, update };
}

/** A line across the list: a day, "New", the count of replies. */
export function lineItem(row) {
  const label = h("span", { text: row.label });
  const node = h("div", { class: `list-line is-${row.look}` }, label);
  return { node, update: (next) => setText(label, next.label) };
}

function timeOf(post, look) {
  const iso = new Date(Number(post.ts) * 1000).toISOString();
  return h("time", { class: look, datetime: iso, title: fullLabel(post.ts), text: timeLabel(post.ts) });
}

function summaryMark({ replies = [], summary, isNew }) {
  return `${replies.length}|${summary}|${isNew}|${replies.at(-1)?.ts ?? ""}`;
}

const marks = new WeakMap();

/** What the body of a post is drawn from; reactions and replies are not among it. */
function contentMark(post) {
  if (!marks.has(post)) {
    const { text, blocks, attachments, files, edited, subtype, sandbox } = post;
    marks.set(post, JSON.stringify([text, blocks, attachments, files, edited, subtype, sandbox?.stream]));
  }
  return marks.get(post);
}
