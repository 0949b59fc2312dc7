/** What the page knows of the team: facts by key, as the server sends them, sorted into what parts read. */

import { nextFrame } from "../shared/dom.js";

const KEPT_CALLS = 500;
const ACK_DEADLINE_MS = 3100;

/** A reply stands in a thread. */
export function isReply(post) {
  return Boolean(post.thread_ts) && post.thread_ts !== post.ts;
}

export function rootTs(post) {
  return post.thread_ts || post.ts;
}

/** Joins, topics and the like: told in one muted line. */
export function isSystem(post) {
  return /^(channel|group)_/.test(post.subtype ?? "");
}

/** The posts of one channel by ts, with what is derived from them kept until the next change. */
class ChannelPosts {
  byTs = new Map();

  set(ts, post) {
    if (post === null) this.byTs.delete(ts);
    else this.byTs.set(ts, post);
    this.sorted = this.threads = this.listed = null;
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
    this.threads ??= Map.groupBy(this.all.filter(isReply), (post) => post.thread_ts);
    return this.threads.get(root) ?? [];
  }

  /** What the channel itself shows; a deleted root with replies is `{ts, deleted: true}`. */
  get inChannel() {
    if (this.listed) return this.listed;
    const shown = this.all.filter((post) => !isReply(post));
    const roots = new Set(this.all.filter(isReply).map((post) => post.thread_ts));
    const gone = [...roots].filter((ts) => !this.byTs.has(ts)).map((ts) => ({ ts, deleted: true }));
    this.listed = [...shown, ...gone].sort(byTs);
    return this.listed;
  }
}

const NO_POSTS = new ChannelPosts();

/** Reads are plain getters; `subscribe` is told once a frame, however many facts changed. */
export class Store {
  constructor() {
    this.link = "connecting";
    this.person = null;
    this.listeners = [];
    this.observers = [];
    this.isScheduled = false;
    this.forget();
  }

  forget() {
    this.team = this.home = this.modal = null;
    this.sockets = 0;
    this.posts = new Map();
    this.sessions = new Map();
    this.channels = new Map();
    this.prompts = new Map();
    this.log = new Map();
  }

  /** `listener()` runs once a frame after changes. */
  subscribe(listener) {
    this.listeners.push(listener);
  }

  /** `observer(post)` runs at once for every post that comes or changes after the beginning. */
  observePosts(observer) {
    this.observers.push(observer);
  }

  /** The facts of a new beginning. */
  replace(facts) {
    this.forget();
    this.link = "open";
    for (const [key, value] of facts) this.set(key, value);
    this.person = this.me;
    this.clockOffsetS = this.team.now - Date.now() / 1000;
    this.log = new Map([...this.log].sort(([, one], [, other]) => one.atS - other.atS));
    this.touch();
  }

  /** One fact that has changed. */
  change([key, value]) {
    this.set(key, value);
    if (key.startsWith("post/") && value) for (const observer of this.observers) observer(value);
    this.touch();
  }

  set(key, value) {
    const [kind, place, of] = key.split("/");
    if (kind === "post") {
      if (!this.posts.has(place)) this.posts.set(place, new ChannelPosts());
      this.posts.get(place).set(of, value);
    } else if (kind === "session") this.sessions.set(`${place}/${of}`, value);
    else if (kind === "channel") this.channels.set(place, value);
    else if (kind === "prompts") this.prompts.set(place, value);
    else if (kind === "call") this.addToLog(key, { kind, atS: value.at_s, call: value });
    else if (kind === "delivery") this.addToLog(key, { kind, atS: value.sent_at_s, delivery: value });
    else this[kind] = value;
  }

  addToLog(key, entry) {
    this.log.set(key, { key, ...entry });
    if (this.log.size > KEPT_CALLS) this.log.delete(this.log.keys().next().value);
    if (entry.delivery?.acked_at_s === null) setTimeout(() => this.touch(), ACK_DEADLINE_MS);
  }

  setLink(link) {
    this.link = link;
    this.touch();
  }

  touch() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    nextFrame(() => {
      this.isScheduled = false;
      for (const listener of this.listeners) listener();
    });
  }

  get me() {
    return this.team.me;
  }

  get bot() {
    return this.team.bot;
  }

  /** Another person was chosen, and what they see has not come yet. */
  get isSwitching() {
    return this.person !== this.me;
  }

  now() {
    return Date.now() / 1000 + this.clockOffsetS;
  }

  user(id) {
    return this.team.users[id] ?? null;
  }

  channel(id) {
    return this.channels.get(id) ?? null;
  }

  postsOf(channelId) {
    return this.posts.get(channelId) ?? NO_POSTS;
  }

  session(channelId, threadTs) {
    return this.sessions.get(`${channelId}/${threadTs}`) ?? null;
  }

  /** Whether a channel is the direct one between the present person and the bot. */
  isWithBot(channel) {
    return channel.is_im && [this.me, this.bot.user_id].every((id) => channel.members.includes(id));
  }

  get botChannel() {
    return [...this.channels.values()].find((channel) => this.isWithBot(channel)) ?? null;
  }
}

function byTs(one, other) {
  return one.ts < other.ts ? -1 : one.ts > other.ts ? 1 : 0;
}
