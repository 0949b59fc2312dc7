/** What the page knows of the team: the last snapshot and every change since, and who is told of them. */

import { ChannelPosts } from "./posts.js";

const KEPT_CALLS = 500;
const ACK_DEADLINE_MS = 3100;
const NO_POSTS = new ChannelPosts();

/** Reads are plain getters; `subscribe` is told once a frame, however many changes came. */
export class Store {
  constructor() {
    this.world = null;
    this.posts = new Map();
    this.sessions = new Map();
    this.channels = new Map();
    this.link = "connecting";
    this.person = null;
    this.clockOffsetS = 0;
    this.listeners = [];
    this.observers = [];
    this.isScheduled = false;
  }

  /** `listener()` runs once a frame after changes. */
  subscribe(listener) {
    this.listeners.push(listener);
  }

  /** `observer(change)` runs at once for every change that is not a snapshot. */
  observe(observer) {
    this.observers.push(observer);
  }

  replace(world) {
    this.world = world;
    this.person = world.me;
    this.clockOffsetS = world.now - Date.now() / 1000;
    this.posts = new Map(
      Object.entries(world.posts).map(([id, posts]) => [id, new ChannelPosts(posts)]),
    );
    this.sessions = new Map(world.sessions.map((session) => [sessionKey(session), session]));
    this.channels = new Map(world.channels.map((channel) => [channel.id, channel]));
    this.log = [...world.deliveries.map(asDelivery), ...world.calls.map(asCall)].sort(byTime);
    this.touch();
  }

  apply(change) {
    APPLY[change.kind]?.(this, change);
    for (const observer of this.observers) observer(change);
    this.touch();
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
    return this.world.me;
  }

  /** Another person was chosen, and what they see has not come yet. */
  get isSwitching() {
    return this.person !== null && this.person !== this.me;
  }

  get bot() {
    return this.world.bot;
  }

  now() {
    return Date.now() / 1000 + this.clockOffsetS;
  }

  user(id) {
    return this.world.users[id] ?? null;
  }

  channel(id) {
    return this.channels.get(id) ?? null;
  }

  postsOf(channelId) {
    return this.posts.get(channelId) ?? NO_POSTS;
  }

  post(channelId, ts) {
    return this.postsOf(channelId).get(ts);
  }

  session(channelId, threadTs) {
    return this.sessions.get(`${channelId}/${threadTs}`) ?? null;
  }

  /** The direct channel between the present person and the bot. */
  get botChannel() {
    return [...this.channels.values()].find((channel) => isWithBot(channel, this)) ?? null;
  }

  addToLog(entry) {
    const index = this.log.findIndex((known) => known.key === entry.key);
    if (index >= 0) this.log.splice(index, 1, entry);
    else this.log.push(entry);
    if (this.log.length > KEPT_CALLS) this.log.splice(0, this.log.length - KEPT_CALLS);
  }
}

const APPLY = {
  post(store, { post }) {
    const channel = post.sandbox.channel;
    if (!store.posts.has(channel)) store.posts.set(channel, new ChannelPosts());
    store.posts.get(channel).upsert(post);
  },
  post_deleted(store, { channel, ts }) {
    store.posts.get(channel)?.remove(ts);
  },
  session(store, { session }) {
    store.sessions.set(sessionKey(session), session);
  },
  prompts(store, { prompts }) {
    const others = store.world.prompts.filter((known) => known.channel !== prompts.channel);
    store.world.prompts = [...others, prompts];
  },
  modals(store, { views }) {
    store.world.modals = views;
  },
  home(store, { view }) {
    store.world.home = view;
  },
  channel(store, { channel }) {
    store.channels.set(channel.id, channel);
  },
  call(store, { call }) {
    store.addToLog(asCall(call));
  },
  delivery(store, { delivery }) {
    store.addToLog(asDelivery(delivery));
    if (delivery.acked_at_s === null) setTimeout(() => store.touch(), ACK_DEADLINE_MS);
  },
  sockets(store, { open }) {
    store.world.sockets = open;
  },
};

/** Whether a channel is the direct one between a person and the bot. */
export function isWithBot(channel, { me, bot }) {
  const members = channel.members ?? [];
  return channel.is_im && members.includes(me) && members.includes(bot.user_id);
}

let callCount = 0;

function asCall(call) {
  callCount += 1;
  return { key: `call-${callCount}`, kind: "call", at_s: call.at_s, call };
}

function asDelivery(delivery) {
  const key = `delivery-${delivery.envelope_id}-${delivery.attempt}`;
  return { key, kind: "delivery", at_s: delivery.sent_at_s, delivery };
}

function byTime(one, other) {
  return one.at_s - other.at_s;
}

function sessionKey(session) {
  return `${session.channel}/${session.thread_ts}`;
}

function nextFrame(work) {
  if (document.hidden) setTimeout(work, 50);
  else requestAnimationFrame(work);
}
