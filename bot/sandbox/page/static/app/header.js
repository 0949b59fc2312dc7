/** The head of the middle pane: where one is, the app's tabs, and what can be opened from here. */

import { avatar } from "./avatar.js";
import { callsButton } from "./calls_button.js";
import { h, setAttribute, setText, show } from "./dom.js";
import { icon } from "./icons.js";
import { channelIcon, channelName, otherMembers } from "./names.js";

const TABS = [["home", "Home"], ["messages", "Messages"]];

export class Header {
  constructor(app) {
    this.app = app;
    const back = h("button", {
      type: "button", class: "icon-button back-button", "aria-label": "Back to channels",
      on: { click: () => app.places.showNav() },
    }, icon("back"));
    this.mark = h("span", { class: "head-mark" });
    this.title = h("h1", { class: "head-title" });
    this.topic = h("span", { class: "head-topic" });
    this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "App" }, ...TABS.map(([tab, label]) => this.tab(tab, label)));
    this.members = h("span", { class: "head-members" });
    this.calls = callsButton(app);
    this.node = h("header", { class: "pane-head" },
      back, this.mark, this.title, this.topic, this.tabs, h("span", { class: "spacer" }), this.members, this.calls);
  }

  tab(tab, label) {
    return h("button", {
      type: "button", role: "tab", class: "tab", text: label, dataset: { tab },
      on: {
        click: () => this.app.places.goTo(this.app.places.place.channel, { tab }),
        keydown: (event) => this.moveTab(event),
      },
    });
  }

  moveTab(event) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const tabs = [...this.tabs.children];
    const next = tabs[(tabs.indexOf(event.target) + 1) % tabs.length];
    next.focus();
    next.click();
  }

  update(channel) {
    const { store, places } = this.app;
    if (!channel) return;
    this.updateMark(channel);
    const isApp = channel.id === store.botChannel?.id;
    setText(this.title, channelName(channel, store));
    setText(this.topic, channel.topic?.value || channel.purpose?.value || "");
    show(this.topic, !channel.is_im);
    show(this.tabs, isApp && store.bot.has_home);
    for (const tab of this.tabs.children) {
      const isChosen = tab.dataset.tab === places.place.tab;
      setAttribute(tab, "aria-selected", String(isChosen));
      setAttribute(tab, "tabindex", isChosen ? "0" : "-1");
    }
    setAttribute(this.calls, "aria-pressed", String(places.place.calls));
    this.updateMembers(channel);
  }

  updateMark(channel) {
    const { store } = this.app;
    const look = `${channel.id}/${channel.is_archived}/${store.me}`;
    if (this.look === look) return;
    this.look = look;
    const isDirect = channel.is_im || channel.is_mpim;
    const [other] = otherMembers(channel, store);
    this.mark.replaceChildren(isDirect ? avatar(store.user(other), store, "s") : icon(channelIcon(channel)));
  }

  updateMembers(channel) {
    const members = channel.is_im ? [] : (channel.members ?? []);
    show(this.members, members.length > 0);
    const mark = members.join();
    if (this.membersMark === mark) return;
    this.membersMark = mark;
    const { store } = this.app;
    const faces = members.slice(0, 4).map((id) => avatar(store.user(id) ?? { id }, store, "s"));
    const words = h("span", { text: String(members.length), "aria-hidden": "true" });
    const told = h("span", { class: "visually-hidden", text: `${members.length} members` });
    this.members.replaceChildren(h("span", { class: "faces", "aria-hidden": "true" }, ...faces), words, told);
  }
}
