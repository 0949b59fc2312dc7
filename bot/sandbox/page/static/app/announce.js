/** Tells screen readers of new posts, politely: who, where, and the first words. */

import { h, setText } from "./dom.js";
import { authorName, placeName } from "./names.js";
import { excerpt } from "./wire.js";

/** A running stream is told once, when it has ended. */
export class Announcer {
  constructor(store, host) {
    this.store = store;
    this.told = new Set();
    this.region = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
    host.append(this.region);
    store.observe((change) => this.hear(change));
  }

  hear({ kind, post }) {
    if (kind !== "post" || post.user === this.store.me || this.isRunning(post)) return;
    const key = `${post.sandbox.channel}/${post.ts}`;
    if (this.told.has(key) || Number(post.ts) < this.store.now() - 600) return;
    this.told.add(key);
    const place = placeName(this.store.channel(post.sandbox.channel), this.store);
    const author = authorName(post, this.store);
    setText(this.region, `${author} in ${place}: ${excerpt(post, this.store)}`);
  }

  isRunning(post) {
    return post.sandbox.stream?.phase === "in_progress";
  }
}
