/** Puts the page together: one `app` that the parts share, drawn again after each change. */

import { h, setAttribute, setText, show } from "../shared/dom.js";
import { toast } from "../shared/popup.js";
import { CallsPane } from "./calls.js";
import { ChannelView } from "./channel.js";
import { Drafts } from "./drafts.js";
import { listenToKeys, rescueFocus } from "./keys.js";
import { act, ActError, LiveConnection } from "./live.js";
import { Modal } from "./modal.js";
import { openSwitcher } from "./offers.js";
import { FilePane, ThreadPane } from "./panes.js";
import { openProfile } from "./people.js";
import { Places } from "./places.js";
import { Sidebar } from "./sidebar.js";
import { Store } from "./store.js";
import { Unread } from "./unread.js";
import { authorName, excerpt, placeName, readIn } from "./words.js";

const PERSON_KEY = "sandbox.person";
const PERMALINK = /^https:\/\/sandbox\.slack\.com\/archives\/(\w+)\/p(\d+)(\d{6})/;
const TICK_MS = 30_000;
const ANNOUNCED_S = 600;

class App {
  constructor(root) {
    this.root = root;
    this.store = new Store();
    this.drafts = new Drafts();
    this.places = new Places(this.store, this.drafts);
    this.unread = new Unread(this.store);
    this.live = new LiveConnection(this.store);
    this.unfolded = new Set();
    this.announced = new Set();
    this.editing = null;
    this.isSettled = this.isPressed = this.isLate = false;
    this.notice = h("div", { class: "link-notice", role: "status", hidden: true });
    this.region = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  }

  start() {
    document.body.append(this.region);
    this.store.subscribe(() => this.draw());
    this.store.observePosts((post) => this.announce(post));
    listenToKeys(this);
    document.addEventListener("click", (event) => this.followMention(event));
    document.addEventListener("click", (event) => this.followPermalink(event));
    document.addEventListener("pointerdown", () => (this.isPressed = true));
    for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, () => this.release());
    document.addEventListener("visibilitychange", () => this.store.touch());
    addEventListener("resize", () => this.store.touch());
    setInterval(() => this.store.touch(), TICK_MS);
    this.live.connect(sessionStorage.getItem(PERSON_KEY));
    this.store.touch();
  }

  /** What came while something was pressed is drawn behind the click that it may be. */
  release() {
    this.isPressed = false;
    if (this.isLate) setTimeout(() => this.draw());
  }

  /** Nothing moves below a finger: a button that goes elsewhere while it is pressed hears of no click. */
  draw() {
    this.isLate = this.isPressed;
    if (this.isPressed) return;
    if (this.store.team) this.drawTeam();
    const { link, team } = this.store;
    show(this.notice, link === "lost" || !team);
    setText(this.notice, team ? "The connection to the sandbox is lost. Reconnecting…" : "Connecting to the sandbox…");
    if (!team && !this.notice.isConnected) this.root.replaceChildren(this.notice);
  }

  drawTeam() {
    readIn(this.store.user(this.store.me)?.tz);
    if (!this.parts) this.build();
    this.places.settle();
    this.noteArrival();
    for (const part of this.parts) part.update();
    this.drawFrame();
    this.isSettled = true;
  }

  build() {
    this.places.follow(location.hash);
    this.view = new ChannelView(this);
    this.thread = new ThreadPane(this);
    this.parts = [new Sidebar(this), this.view, this.thread, new FilePane(this), new CallsPane(this), new Modal(this)];
    const panes = this.parts.map(({ node }) => node).filter(Boolean);
    this.standIn = h("main", { class: "visually-hidden", "aria-label": "Channel", hidden: true }, h("h1"));
    this.root.replaceChildren(this.notice, h("div", { class: "panes" }, panes), this.standIn);
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

  drawFrame() {
    const { places, store } = this;
    const { place, front } = places;
    setAttribute(this.root, "data-open", ["thread", "file", "calls"].filter((pane) => place[pane]).join(" "));
    setAttribute(this.root, "data-front", front);
    // Where the window has no room for the channel, its name still heads the page for screen readers.
    setText(this.standIn.firstElementChild, placeName(store.channel(place.channel), store));
    show(this.standIn, !this.view.node.checkVisibility());
    if (this.isSettled && this.front !== front) rescueFocus(this.root, front);
    this.front = front;
    const waiting = [...store.channels.keys()].reduce((sum, id) => sum + this.unread.count(id), 0);
    document.title = waiting > 0 ? `(${waiting}) ${store.team.name}` : store.team.name;
  }

  /** Tells screen readers of a new post, politely and once; of a stream when it has ended. */
  announce(post) {
    const { store } = this;
    const key = `${post.channel}/${post.ts}`;
    const isOld = Number(post.ts) < store.now() - ANNOUNCED_S;
    if (post.user === store.me || post.is_running || isOld || this.announced.has(key)) return;
    this.announced.add(key);
    const place = placeName(store.channel(post.channel), store);
    setText(this.region, `${authorName(post, store)} in ${place}: ${excerpt(post)}`);
  }

  /** Mentions stand in the server's HTML, so one listener serves them all. */
  followMention({ target }) {
    const mention = target.closest?.(".mention");
    if (mention?.dataset.user) this.openProfile(mention.dataset.user, mention);
    else if (this.store.channel(mention?.dataset.channel)) this.places.goTo(mention.dataset.channel);
  }

  /** The address of a post in the real Slack leads to it here. */
  followPermalink(event) {
    const link = event.target.closest?.("a[href]");
    const [, channel, seconds, rest] = PERMALINK.exec(link?.href) ?? [];
    if (!this.store.channel(channel)) return;
    event.preventDefault();
    this.places.goTo(channel, { thread: URL.parse(link.href).searchParams.get("thread_ts") ?? `${seconds}.${rest}` });
  }

  /** Acts as the present person; a failure becomes a toast and null. */
  attempt(name, fields, files) {
    return this.tried(() => act(this.store.person, name, fields, files));
  }

  async tried(work) {
    try {
      return (await work()) ?? {};
    } catch (error) {
      if (!(error instanceof ActError)) throw error;
      toast(error.message, { isFailure: true });
      return null;
    }
  }

  /** Adds a reaction of the present person, or takes it back. */
  react({ channel, post }, name, remove = false) {
    return this.attempt("react", { channel, ts: post.ts, name, added: !remove });
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
    if (before && !row) (before.place === "thread" ? this.thread : this.view).composer.focus();
    this.store.touch();
  }

  /** Edits the present person's last post of a channel or thread. */
  editLast({ channel, thread }) {
    const posts = this.store.postsOf(channel);
    const listed = thread ? [posts.get(thread), ...posts.replies(thread)] : posts.inChannel;
    const post = listed.findLast((one) => one?.user === this.store.me && !one.ephemeral_to);
    if (post) this.edit({ channel, post, place: thread ? "thread" : "channel" });
  }

  focusComposer() {
    requestAnimationFrame(() => this.view.composer.focus());
  }

  openSwitcher() {
    openSwitcher(this);
  }

  openProfile(id, anchor) {
    openProfile(id, anchor, this);
  }
}

new App(document.querySelector("#app")).start();
