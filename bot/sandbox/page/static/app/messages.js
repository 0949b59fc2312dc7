/** A list of posts: of one channel, or of one thread. Up and Down move through it. */

import { h, show } from "./dom.js";
import { icon } from "./icons.js";
import { KeyedList } from "./keyed.js";
import { deletedItem, lineItem, postItem } from "./post.js";
import { Scroller } from "./scroller.js";

const MAKE = { post: postItem, deleted: deletedItem, line: lineItem };
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export class MessageList {
  /** `before` is what stands above the first post. */
  constructor(app, { label, before = null }) {
    this.app = app;
    this.content = h("div", { class: "posts" });
    this.log = h("div", {
      class: "log", role: "log", "aria-label": label, "aria-live": "off", tabindex: "0",
      on: { keydown: (event) => this.move(event) },
    }, before ?? "", this.content);
    this.jump = h("button", { type: "button", class: "jump", hidden: true }, icon("down"), "New messages");
    this.node = h("div", { class: "log-frame" }, this.log, this.jump);
    this.list = new KeyedList(this.content, (row) => MAKE[row.kind](row, app));
    this.scroller = new Scroller(this.log, this.content, (isAtBottom) => isAtBottom && show(this.jump, false));
    this.jump.addEventListener("click", () => this.scroller.toBottom());
    this.isFilled = false;
  }

  update(rows) {
    const added = this.list.update(rows);
    const last = this.content.lastElementChild;
    const hasNews = this.isFilled && added.includes(last) && !this.scroller.isAtBottom;
    if (hasNews && this.isMine(rows.at(-1))) this.scroller.toBottom();
    else if (hasNews) show(this.jump, true);
    this.isFilled = true;
    this.scroller.settle();
  }

  isMine(row) {
    return row.kind === "post" && row.post.user === this.app.store.me;
  }

  /** Arrows move the focus from post to post, but not inside of a post's own controls. */
  move(event) {
    const step = STEPS[event.key];
    const isInside = event.target !== this.log && !event.target.matches("article");
    if (!step || isInside) return;
    event.preventDefault();
    const posts = [...this.content.querySelectorAll("article")];
    const index = posts.indexOf(document.activeElement);
    const next = index < 0 ? posts.at(-1) : posts[index + step];
    next?.focus();
  }
}
