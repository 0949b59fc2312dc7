/** What each of the people has not read yet, in channels and threads, since the page was opened. */

import { isReply } from "./store.js";

export class Unread {
  constructor(store) {
    this.store = store;
    this.start = null;
    this.marks = new Map();
    this.divider = { place: null, ts: null };
  }

  /** How many posts of a channel are new to the present person. */
  count(channelId) {
    return this.newOnes(this.store.postsOf(channelId), this.mark(channelId)).length;
  }

  /** Whether a thread has replies that are new to the present person. */
  isThreadNew(channelId, rootTs) {
    const latest = this.store.postsOf(channelId).replies(rootTs).at(-1);
    return Boolean(latest) && latest.user !== this.store.me && latest.ts > this.mark(`${channelId}/${rootTs}`);
  }

  /** The person came to a channel: what is new now is marked by a line until they leave. */
  enter(channelId) {
    const place = `${this.store.me}/${channelId}`;
    if (this.divider.place === place) return;
    const ts = this.count(channelId) > 0 ? this.mark(channelId) : null;
    this.divider = { place, ts };
  }

  /** Everything up to now is read. */
  read(channelId, rootTs = null) {
    const posts = this.store.postsOf(channelId);
    const latest = rootTs ? posts.replies(rootTs).at(-1) : posts.all.at(-1);
    const place = rootTs ? `${channelId}/${rootTs}` : channelId;
    if (latest && latest.ts > this.mark(place)) this.marks.set(`${this.store.me}/${place}`, latest.ts);
  }

  mark(place) {
    this.start ??= this.store.now().toFixed(6);
    return this.marks.get(`${this.store.me}/${place}`) ?? this.start;
  }

  newOnes(posts, mark) {
    const { all } = posts;
    let index = all.length;
    while (index > 0 && all[index - 1].ts > mark) index -= 1;
    return all.slice(index).filter((post) => this.concerns(post, posts));
  }

  concerns(post, posts) {
    if (post.user === this.store.me) return false;
    if (!isReply(post)) return true;
    const thread = [posts.get(post.thread_ts), ...posts.replies(post.thread_ts)];
    return thread.some((member) => member?.user === this.store.me);
  }
}
