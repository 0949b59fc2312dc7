/** The middle of the page: a channel's head, its posts, its composer; or App Home. */

import { Composer } from "./composer.js";
import { h, show } from "./dom.js";
import { draftPlace } from "./drafts.js";
import { Header } from "./header.js";
import { HomeTab } from "./home.js";
import { icon } from "./icons.js";
import { Intro } from "./intro.js";
import { MessageList } from "./messages.js";
import { channelName, fullName, mayPost, placeName } from "./names.js";
import { promptBar } from "./prompts.js";
import { channelRows } from "./rows.js";

const KEPT_LISTS = 12;

export class ChannelView {
  constructor(app) {
    this.app = app;
    this.header = new Header(app);
    this.home = new HomeTab(app);
    this.composer = new Composer(app);
    this.body = h("div", { class: "channel-body" });
    this.note = h("div", { class: "composer-note" });
    this.prompts = h("div", { class: "prompts" });
    this.foot = h("div", { class: "channel-foot" }, this.prompts, this.note, this.composer.node);
    this.node = h("main", { class: "pane pane-main", "aria-label": "Channel" },
      this.header.node, this.home.node, this.body, this.foot);
    this.lists = new Map();
  }

  update() {
    const { store, places } = this.app;
    const { tab } = places.place;
    const channel = store.channel(places.place.channel);
    this.header.update(channel);
    this.home.update(tab === "home");
    show(this.body, tab !== "home");
    show(this.foot, tab !== "home");
    if (channel && tab !== "home") this.updateMessages(channel);
  }

  updateMessages(channel) {
    const { app } = this;
    const { store, unread } = app;
    const list = this.listOf(channel);
    if (this.body.firstElementChild !== list.node) {
      this.body.replaceChildren(list.node);
      list.scroller.restore();
    }
    list.intro.update(channel);
    list.update(channelRows(channel.id, store, unread, app.editing));
    this.composer.update({
      place: draftPlace(store.person, channel.id),
      channel: channel.id,
      thread: null,
      label: `Message ${placeName(channel, store)}`,
    });
    show(this.composer.node, mayPost(channel));
    this.updateNote(channel);
    this.updatePrompts(channel);
  }

  listOf(channel) {
    const key = channel.id;
    const known = this.lists.get(key);
    this.lists.delete(key);
    const list = known ?? this.makeList(channel);
    this.lists.set(key, list);
    if (this.lists.size > KEPT_LISTS) this.lists.delete(this.lists.keys().next().value);
    return list;
  }

  makeList(channel) {
    const intro = new Intro(this.app);
    const label = `Messages in ${channelName(channel, this.app.store)}`;
    const list = new MessageList(this.app, { label, before: intro.node });
    list.intro = intro;
    return list;
  }

  updateNote(channel) {
    const words = this.noteOf(channel);
    const mark = `${channel.id}|${words}`;
    if (this.noteMark !== mark) {
      this.noteMark = mark;
      this.note.replaceChildren(...(words ? this.fillNote(channel, words) : []));
    }
    show(this.note, Boolean(words));
  }

  noteOf(channel) {
    const { store } = this.app;
    const isDirect = channel.is_im || channel.is_mpim;
    if (channel.is_archived) return "This channel is archived. Nobody can post here.";
    if (channel.am_member === false) return "You are not a member of this channel.";
    if (channel.is_read_only) return `Only ${fullName(store.user(channel.creator))} may post here.`;
    if (isDirect || (channel.members ?? []).includes(store.bot.user_id)) return "";
    return `${store.bot.name} is not in this channel.`;
  }

  fillNote(channel, words) {
    const canInvite = mayPost(channel);
    const add = h("button", {
      type: "button", class: "button is-small", text: "Add it",
      on: { click: () => this.app.attempt("invite", { channel: channel.id }) },
    });
    return [icon(channel.is_archived ? "archive" : "people"), h("span", { text: words }), ...(canInvite ? [add] : [])];
  }

  updatePrompts(channel) {
    const prompts = this.app.store.world.prompts.find((known) => known.channel === channel.id);
    if (this.promptsShown !== prompts) {
      this.promptsShown = prompts;
      this.prompts.replaceChildren(...(prompts ? promptBar(prompts, this.app) : []));
    }
    show(this.prompts, Boolean(prompts?.prompts.length));
  }
}
