/** The posts of one channel as the page reads them: in order, as threads, and what the channel shows. */

/** A reply stands in a thread; a broadcast one shows in the channel too. */
export function isReply(post) {
  return Boolean(post.thread_ts) && post.thread_ts !== post.ts;
}

export function rootTs(post) {
  return post.thread_ts || post.ts;
}

export function isEphemeral(post) {
  return Boolean(post.sandbox?.ephemeral_to);
}

/** Posts by ts, with what is derived from them kept until the next change. */
export class ChannelPosts {
  constructor(posts = []) {
    this.byTs = new Map(posts.map((post) => [post.ts, post]));
    this.forget();
  }

  upsert(post) {
    this.byTs.set(post.ts, post);
    this.forget();
  }

  remove(ts) {
    this.byTs.delete(ts);
    this.forget();
  }

  forget() {
    this.sorted = null;
    this.threads = null;
    this.listed = null;
  }

  get all() {
    this.sorted ??= [...this.byTs.values()].sort(byTs);
    return this.sorted;
  }

  get(ts) {
    return this.byTs.get(ts) ?? null;
  }

  /** The replies of a thread, oldest first. */
  replies(root) {
    this.threads ??= groupReplies(this.all);
    return this.threads.get(root) ?? [];
  }

  /** What the channel itself shows; a deleted root with replies is `{ts, deleted: true}`. */
  get inChannel() {
    this.listed ??= [...this.all.filter(isListed), ...this.deletedRoots()].sort(byTs);
    return this.listed;
  }

  deletedRoots() {
    this.threads ??= groupReplies(this.all);
    const roots = [...this.threads.keys()].filter((ts) => !this.byTs.has(ts));
    return roots.map((ts) => ({ ts, deleted: true }));
  }
}

function isListed(post) {
  return !isReply(post) || post.subtype === "thread_broadcast";
}

function byTs(one, other) {
  return one.ts < other.ts ? -1 : one.ts > other.ts ? 1 : 0;
}

function groupReplies(posts) {
  const threads = new Map();
  for (const post of posts.filter(isReply)) {
    const known = threads.get(post.thread_ts);
    if (known) known.push(post);
    else threads.set(post.thread_ts, [post]);
  }
  return threads;
}
