/** The middle of the page: a channel's head, its posts, its composer; or App Home. */

import { h, redraw, setAttribute, setText, show } from "../shared/dom.js";
import { botMark, button, icon, iconButton } from "../shared/icons.js";
import { blocks } from "./blocks/blocks.js";
import { carryOver } from "./blocks/view.js";
import { Composer } from "./composer.js";
import { draftPlace } from "./drafts.js";
import { channelRows, MessageList } from "./messages.js";
import { channelMark, faces } from "./people.js";
import { channelName, isDirect, mayPost, otherMembers, placeName } from "./words.js";

const KEPT_LISTS = 12;
const TABS = [["home", "Home"], ["messages", "Messages"]];
const TRY_ASKING = "Write a comprehensive report on keeping chat bots reliable";

/** The button that opens and closes the panel of API calls; it stands in the channel's head and in a file's. */
export function callsButton(app) {
  return h("button", {
    type: "button", class: "button is-small head-calls", "aria-pressed": "false", on: { click: () => app.places.toggleCalls() },
  }, icon("pulse"), h("span", { text: "API calls" }));
}

export class ChannelView {
  constructor(app) {
    this.app = app;
    this.composer = new Composer(app);
    this.body = h("div", { class: "channel-body" });
    this.note = h("div", { class: "composer-note" });
    this.prompts = h("div", { class: "prompts" });
    this.foot = h("div", { class: "channel-foot" }, this.prompts, this.note, this.composer.node);
    this.homeBody = h("div", { class: "home-body" });
    this.home = h("div", { class: "home", role: "tabpanel", "aria-label": "Home", tabindex: "0", hidden: true }, this.homeBody);
    this.node = h("main", { class: "pane pane-main", "aria-label": "Channel" }, this.head(), this.home, this.body, this.foot);
    this.lists = new Map();
  }

  head() {
    const { app } = this;
    this.mark = h("span", { class: "head-mark" });
    this.title = h("h1", { class: "head-title truncate" });
    this.topic = h("span", { class: "head-topic truncate" });
    this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "App" }, TABS.map(([tab, words]) =>
      h("button", {
        type: "button", role: "tab", class: "tab", text: words, dataset: { tab },
        on: { click: () => app.places.goTo(app.places.place.channel, { tab }), keydown: (event) => this.moveTab(event) },
      })));
    this.members = h("span", { class: "head-members" });
    this.calls = callsButton(app);
    const back = iconButton("Back to channels", "back", () => app.places.showNav(), "back-button");
    return h("header", { class: "pane-head" },
      back, this.mark, this.title, this.topic, this.tabs, h("span", { class: "spacer" }), this.members, this.calls);
  }

  moveTab(event) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const other = [...this.tabs.children].find((tab) => tab !== event.target);
    other.focus();
    other.click();
  }

  update() {
    const { store, places } = this.app;
    const { tab } = places.place;
    const channel = store.channel(places.place.channel);
    if (!channel) return;
    this.updateHead(channel);
    const isHome = tab === "home";
    show(this.home, isHome);
    show(this.body, !isHome);
    show(this.foot, !isHome);
    if (isHome) this.updateHome();
    else this.updateMessages(channel);
  }

  updateHead(channel) {
    const { store, places } = this.app;
    redraw(this.mark, `${channel.id}/${channel.is_archived}/${store.me}`, () => channelMark(channel, store));
    setText(this.title, channelName(channel, store));
    setText(this.topic, aboutOf(channel));
    show(this.topic, !channel.is_im);
    show(this.tabs, store.isWithBot(channel));
    for (const tab of this.tabs.children) {
      const isChosen = tab.dataset.tab === places.place.tab;
      setAttribute(tab, "aria-selected", String(isChosen));
      setAttribute(tab, "tabindex", isChosen ? "0" : "-1");
    }
    setAttribute(this.calls, "aria-pressed", String(places.place.calls));
    const members = channel.is_im ? [] : channel.members;
    redraw(this.members, members.join(), () => members.length > 0 && [
      faces(members, store),
      h("span", { text: String(members.length), "aria-hidden": "true" }),
      h("span", { class: "visually-hidden", text: `${members.length} members` }),
    ]);
  }

  /** The view that the app published for the present person. */
  updateHome() {
    const { app } = this;
    const { home, me } = app.store;
    redraw(this.homeBody, `${me}|${JSON.stringify(home)}`, () => {
      if (!home) return this.emptyHome();
      const act = (action) => app.attempt("click", { view_id: home.id, ...action });
      const content = blocks(home.blocks, { store: app.store, scope: `view/${home.id}`, onAction: act });
      carryOver(this.homeBody, content);
      return content;
    });
  }

  emptyHome() {
    return h("div", { class: "empty" },
      h("span", { class: "avatar avatar-l is-bot", "aria-hidden": "true" }, botMark()),
      h("h2", { text: "Nothing here yet" }),
      h("p", { text: `${this.app.store.bot.name} has not published a Home for you.` }));
  }

  updateMessages(channel) {
    const { app } = this;
    const { store } = app;
    const list = this.listOf(channel);
    if (this.body.firstElementChild !== list.node) {
      this.body.replaceChildren(list.node);
      list.scroller.restore();
    }
    this.updateIntro(list.intro, channel);
    list.update(channelRows(channel.id, app));
    const place = draftPlace(store.person, channel.id);
    this.composer.update({ place, channel: channel.id, thread: null, label: `Message ${placeName(channel, store)}` });
    show(this.composer.node, mayPost(channel));
    const note = this.noteOf(channel);
    redraw(this.note, `${channel.id}|${note}`, () => note && this.noteNodes(channel, note));
    const prompts = store.prompts.get(channel.id);
    redraw(this.prompts, JSON.stringify(prompts), () => prompts && promptNodes(prompts, app));
  }

  /** A channel's list is kept with its place while others are read. */
  listOf(channel) {
    const known = this.lists.get(channel.id);
    this.lists.delete(channel.id);
    const list = known ?? this.makeList(channel);
    this.lists.set(channel.id, list);
    if (this.lists.size > KEPT_LISTS) this.lists.delete(this.lists.keys().next().value);
    return list;
  }

  makeList(channel) {
    const intro = h("div", { class: "intro" });
    const label = `Messages in ${channelName(channel, this.app.store)}`;
    return Object.assign(new MessageList(this.app, { label, before: intro }), { intro });
  }

  /** What stands above the first post; and what one could ask, where nothing was said yet. */
  updateIntro(intro, channel) {
    const { store } = this.app;
    const isHeard = !isDirect(channel) && channel.members.includes(store.bot.user_id);
    const isWaiting = isHeard && mayPost(channel) && store.postsOf(channel.id).inChannel.length === 0;
    redraw(intro, JSON.stringify([store.me, channel.name, channel.is_archived, isWaiting]), () => {
      const request = `@${store.bot.name} ${TRY_ASKING}`;
      const use = () => this.composer.replace(0, this.composer.area.value.length, request);
      return [
        h("span", { class: "intro-mark" }, channelMark(channel, store, "l")),
        h("h2", { text: placeName(channel, store) }),
        h("p", { text: this.introWords(channel) }),
        isWaiting && h("p", { class: "intro-tip" }, "Try: ", h("strong", { text: request }), button("Use this", use)),
      ];
    });
  }

  introWords(channel) {
    const { store } = this.app;
    if (!isDirect(channel)) return `This is the beginning of ${channel.is_private ? "a private" : "the"} channel. ${aboutOf(channel)}`;
    if (!otherMembers(channel, store).includes(store.bot.user_id)) return `A conversation between you and ${channelName(channel, store)}.`;
    return `Everything you write here goes to ${store.bot.name}. No mention is needed.`;
  }

  /** Why the person cannot write here, or that the bot cannot read here. */
  noteOf(channel) {
    const { store } = this.app;
    if (channel.is_archived) return "This channel is archived. Nobody can post here.";
    if (!channel.am_member) return "You are not a member of this channel.";
    if (isDirect(channel) || channel.members.includes(store.bot.user_id)) return "";
    return `${store.bot.name} is not in this channel.`;
  }

  noteNodes(channel, words) {
    const add = button("Add it", () => this.app.attempt("invite", { channel: channel.id }));
    return [icon(channel.is_archived ? "archive" : "people"), h("span", { text: words }), mayPost(channel) && add];
  }
}

function aboutOf(channel) {
  return channel.purpose?.value || "";
}

/** The prompts that the bot suggests: one press sends one. */
function promptNodes({ channel, prompts }, app) {
  return prompts.map(({ title: words, message }) =>
    h("button", {
      type: "button", class: "prompt", title: message, text: words, on: { click: () => app.attempt("say", { channel, text: message }) },
    }));
}
