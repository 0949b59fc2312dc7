/** Where the person is: the channel, its thread, the panes beside it, and the address that leads there. */

import { draftPlace } from "./drafts.js";

const HOME_HASH = "#home";

/**
 * `place` holds `channel`, `thread` (a root's ts or null), `tab` ("messages" or "home"), `file`,
 * `calls` and `nav` (the channel list stands in front, on a phone).
 */
export class Places {
  constructor(store, drafts) {
    this.store = store;
    this.drafts = drafts;
    this.place = { channel: null, thread: null, tab: "messages", file: null, calls: false, nav: false };
    this.order = [];
    this.openers = new Map();
    this.isWithBot = false;
    addEventListener("popstate", () => this.follow(location.hash));
  }

  /** Reads the address once the first snapshot is there, and after each act of "Back". */
  follow(hash) {
    if (hash === HOME_HASH) {
      this.change({ channel: this.store.botChannel?.id, thread: null, tab: "home" }, false);
      return;
    }
    const [channel, thread] = decodeURIComponent(hash.slice(1)).split("/", 2);
    this.change({ channel, thread: thread || null, tab: "messages" }, false);
  }

  goTo(channel, { thread = null, tab = "messages" } = {}) {
    this.change({ channel, thread, tab, nav: false }, true);
  }

  openThread(thread) {
    this.rememberOpener("thread");
    this.change({ thread, nav: false }, true);
  }

  openFile(file) {
    this.rememberOpener("file");
    this.change({ file, nav: false }, false);
  }

  toggleCalls() {
    if (this.place.calls) this.close("calls");
    else {
      this.rememberOpener("calls");
      this.change({ calls: true }, false);
    }
  }

  showNav() {
    this.change({ nav: true }, false);
  }

  /** Closes a pane; the focus goes back to where it was opened from. */
  close(pane) {
    this.change({ [pane]: pane === "calls" ? false : null }, pane === "thread");
    const opener = this.openers.get(pane);
    this.openers.delete(pane);
    if (opener?.isConnected) opener.focus();
  }

  /** Closes the pane that was opened last. Returns whether there was one. */
  closeLast() {
    const pane = this.order.at(-1);
    if (pane) this.close(pane);
    return Boolean(pane);
  }

  rememberOpener(pane) {
    if (!this.openers.has(pane)) this.openers.set(pane, document.activeElement);
  }

  /** The pane that a narrow window shows. */
  get front() {
    if (this.place.nav) return "nav";
    return this.order.at(-1) ?? "main";
  }

  change(part, isStep) {
    const before = this.place;
    this.place = { ...before, ...part };
    if (this.place.channel !== before.channel || this.place.thread !== before.thread) {
      this.place.file = part.file ?? null;
    }
    this.order = reorder(this.order, this.place);
    this.settle();
    this.writeAddress(isStep);
    this.store.touch();
  }

  /** Leaves a place that is not there for this person: for the bot's, or the first channel. */
  settle() {
    const { store } = this;
    if (!store.channel(this.place.channel)) this.leave();
    if (!this.isHere(this.place.thread)) this.place = { ...this.place, thread: null };
    this.order = reorder(this.order, this.place);
    this.isWithBot = this.place.channel === store.botChannel?.id;
    if (!this.isWithBot) this.place.tab = "messages";
  }

  /** Each person has a direct channel with the bot of their own; what they wrote goes along. */
  leave() {
    const { store, place } = this;
    const channel = (this.isWithBot ? store.botChannel : defaultChannel(store))?.id ?? null;
    if (this.isWithBot && channel) {
      this.drafts.move(draftPlace(store.me, place.channel), draftPlace(store.me, channel));
    }
    this.place = { ...place, channel, thread: null, file: null };
  }

  isHere(thread) {
    const posts = this.store.postsOf(this.place.channel);
    return Boolean(thread) && (posts.get(thread) !== null || posts.replies(thread).length > 0);
  }

  writeAddress(isStep) {
    const { channel, thread, tab } = this.place;
    const hash = tab === "home" ? HOME_HASH : `#${[channel, thread].filter(Boolean).join("/")}`;
    if (hash === location.hash) return;
    if (isStep) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
  }
}

function reorder(order, place) {
  const open = ["thread", "file", "calls"].filter((pane) => place[pane]);
  const kept = order.filter((pane) => open.includes(pane));
  return [...kept, ...open.filter((pane) => !kept.includes(pane))];
}

function defaultChannel(store) {
  const channels = [...store.channels.values()];
  return channels.find((channel) => channel.name === "general") ?? channels[0] ?? null;
}
