/** Puts the page together: one `app` that the parts share, drawn again after each change. */

import { ActError, Acts } from "./acts.js";
import { Announcer } from "./announce.js";
import { CallsPane } from "./calls.js";
import { ChannelView } from "./channel_view.js";
import { h, setAttribute, setText, show } from "./dom.js";
import { Drafts } from "./drafts.js";
import { rescueFocus } from "./focus.js";
import { listenToKeys } from "./keys.js";
import { MainStandIn } from "./landmarks.js";
import { Modals } from "./modals.js";
import { placeName } from "./names.js";
import { isEphemeral } from "./posts.js";
import { Places } from "./places.js";
import { openProfile } from "./profile.js";
import { Sidebar } from "./sidebar.js";
import { Store } from "./store.js";
import { LiveConnection } from "./stream.js";
import { openSwitcher } from "./switcher.js";
import { ThreadPane } from "./thread.js";
import { Toasts } from "./toasts.js";
import { Unread } from "./unread.js";
import { FilePane } from "./viewer.js";

const PERSON_KEY = "sandbox.person";
const TICK_MS = 30_000;

class App {
  constructor(root) {
    this.root = root;
    this.store = new Store();
    this.acts = new Acts(this.store);
    this.drafts = new Drafts();
    this.places = new Places(this.store, this.drafts);
    this.unread = new Unread(this.store);
    this.toasts = new Toasts(document.body);
    this.live = new LiveConnection(this.store);
    this.unfolded = new Set();
    this.editing = null;
    this.isSettled = false;
    this.notice = h("div", { class: "link-notice", role: "status", hidden: true });
  }

  start() {
    this.store.subscribe(() => this.draw());
    new Announcer(this.store, document.body);
    listenToKeys(this);
    document.addEventListener("visibilitychange", () => this.store.touch());
    addEventListener("resize", () => this.store.touch());
    setInterval(() => this.store.touch(), TICK_MS);
    this.live.connect(sessionStorage.getItem(PERSON_KEY));
    this.store.touch();
  }

  draw() {
    if (!this.store.world) return this.drawNotice();
    if (!this.parts) this.build();
    this.places.settle();
    this.noteArrival();
    for (const part of this.parts) part.update();
    this.drawNotice();
    this.drawFrame();
    this.isSettled = true;
    return undefined;
  }

  build() {
    this.places.follow(location.hash);
    this.sidebar = new Sidebar(this);
    this.view = new ChannelView(this);
    this.thread = new ThreadPane(this);
    this.standIn = new MainStandIn();
    this.parts = [this.sidebar, this.view, this.thread, new FilePane(this), new CallsPane(this), new Modals(this)];
    const panes = this.parts.map(({ node }) => node).filter(Boolean);
    this.root.replaceChildren(this.notice, h("div", { class: "panes" }, ...panes), this.standIn.node);
  }

  /** Coming to a place reads it, and opens the app's tab where it has tabs. */
  noteArrival() {
    const { channel, thread, tab } = this.places.place;
    this.unread.enter(channel);
    if (!document.hidden && tab === "messages") this.unread.read(channel);
    if (!document.hidden && thread) this.unread.read(channel, thread);
    const arrival = `${this.store.me}|${channel}|${tab}`;
    if (this.arrival === arrival) return;
    this.arrival = arrival;
    if (channel === this.store.botChannel?.id) this.attempt("open_home", { tab });
  }

  drawNotice() {
    const { link, world } = this.store;
    show(this.notice, link === "lost" || !world);
    setText(this.notice, world ? "The connection to the sandbox is lost. Reconnecting…" : "Connecting to the sandbox…");
    if (!world && !this.notice.isConnected) this.root.replaceChildren(this.notice);
  }

  drawFrame() {
    const { places, store } = this;
    const { place } = places;
    const open = ["thread", "file", "calls"].filter((pane) => place[pane]);
    setAttribute(this.root, "data-open", open.join(" "));
    setAttribute(this.root, "data-front", places.front);
    this.standIn.update(this.view.node, placeName(store.channel(place.channel), store));
    if (this.isSettled && this.front !== places.front) rescueFocus(this.root, places.front);
    this.front = places.front;
    const waiting = [...store.channels.keys()].reduce((sum, id) => sum + this.unread.count(id), 0);
    document.title = waiting > 0 ? `(${waiting}) ${store.world.team.name}` : store.world.team.name;
  }

  /** Acts; a failure becomes a toast and null. */
  attempt(name, body) {
    return this.tried(() => this.acts.run(name, body));
  }

  async tried(work) {
    try {
      return (await work()) ?? {};
    } catch (error) {
      if (!(error instanceof ActError)) throw error;
      this.toasts.fail(error.message);
      return null;
    }
  }

  actAs(person) {
    sessionStorage.setItem(PERSON_KEY, person);
    this.editing = null;
    this.store.person = person;
    this.draw();
    this.live.connect(person);
  }

  /** Begins to edit the post of a row; null ends it. */
  edit(row) {
    const before = this.editing;
    this.editing = row ? { channel: row.channel, ts: row.post.ts, place: row.place } : null;
    if (before && !row) this.composerOf(before.place).focus();
    this.store.touch();
  }

  /** Edits the present person's last post of a channel or thread. */
  editLast({ channel, thread }) {
    const posts = this.store.postsOf(channel);
    const listed = thread ? [posts.get(thread), ...posts.replies(thread)] : posts.inChannel;
    const post = listed.findLast((one) => one?.user === this.store.me && !isEphemeral(one));
    if (post) this.edit({ channel, post, place: thread ? "thread" : "channel" });
  }

  composerOf(place) {
    return place === "thread" ? this.thread.composer : this.view.composer;
  }

  focusComposer() {
    requestAnimationFrame(() => this.view.composer.focus());
  }

  openSwitcher() {
    openSwitcher(this);
  }

  openProfile(id, anchor = document.activeElement) {
    openProfile(id, anchor, this);
  }
}

new App(document.querySelector("#app")).start();
