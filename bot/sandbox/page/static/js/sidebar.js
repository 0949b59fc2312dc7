/** The sidebar: channels, direct messages, the app, whom one acts as, and the state of the connection. */

import { h, redraw, setAttribute, setText, show } from "../shared/dom.js";
import { icon, iconButton } from "../shared/icons.js";
import { KeyedList } from "../shared/keyed.js";
import { draftPlace } from "./drafts.js";
import { avatar, channelMark } from "./people.js";
import { channelName, count, fullName, isDirect } from "./words.js";

const LINK_WORDS = { open: "Live", lost: "Reconnecting…", connecting: "Connecting…" };

export class Sidebar {
  constructor(app) {
    this.app = app;
    const { store } = app;
    this.team = h("span", { class: "team-name" });
    const jump = h("button", { type: "button", class: "jump-field", on: { click: () => app.openSwitcher() } },
      icon("search"), h("span", { text: "Jump to…" }), h("kbd", { text: "Ctrl K", "aria-hidden": "true" }));
    this.sections = [
      this.section("Channels", (channel) => !isDirect(channel)),
      this.section("Direct messages", (channel) => isDirect(channel) && !store.isWithBot(channel)),
      this.section("Apps", (channel) => store.isWithBot(channel)),
    ];
    this.node = h("div", { class: "pane pane-nav" },
      h("header", { class: "team" }, h("span", { class: "team-mark", "aria-hidden": "true" }), this.team),
      jump,
      h("nav", { class: "channels", "aria-label": "Channels" }, this.sections.map(({ node }) => node)),
      this.foot());
    this.nameTheme();
  }

  section(title, holds) {
    const items = h("ul");
    const node = h("section", {}, h("h2", { class: "section-title", text: title }), items);
    return { node, holds, list: new KeyedList(items, (row) => channelItem(row, this.app)) };
  }

  foot() {
    this.face = h("span", { class: "person-face" });
    this.select = h("select", {
      "aria-label": "Act as", class: "person-select", on: { change: () => this.app.actAs(this.select.value) },
    });
    this.theme = iconButton("", "moon", () => {
      window.appearance.toggle();
      this.nameTheme();
    });
    this.dot = h("span", { class: "link-dot", "aria-hidden": "true" });
    this.link = h("span");
    const caption = h("span", { class: "person-caption", text: "Act as", "aria-hidden": "true" });
    return h("footer", { class: "nav-foot" },
      h("p", { class: "link-line" }, this.dot, this.link),
      h("div", { class: "person" }, this.face, h("span", { class: "person-words" }, caption, this.select), this.theme));
  }

  nameTheme() {
    const other = window.appearance.theme === "dark" ? "light" : "dark";
    setAttribute(this.theme, "aria-label", `Switch to ${other} theme`);
    setAttribute(this.theme, "title", `Switch to ${other} theme`);
    this.theme.replaceChildren(icon(other === "dark" ? "moon" : "sun"));
  }

  update() {
    const { store } = this.app;
    const { team, link, sockets } = store;
    setText(this.team, team.name);
    const channels = [...store.channels.values()].sort(byName);
    for (const { node, holds, list } of this.sections) {
      const rows = channels.filter(holds).map((channel) => ({ key: channel.id, channel }));
      list.update(rows);
      show(node, rows.length > 0);
    }
    redraw(this.face, store.me, () => avatar(store.user(store.me), store));
    redraw(this.select, store.me, () => team.people.map((id) =>
      h("option", { value: id, text: actorName(store.user(id), team), selected: id === store.me })));
    setAttribute(this.dot, "data-link", link === "open" && sockets === 0 ? "idle" : link);
    setText(this.link, `${LINK_WORDS[link]} · ${sockets ? `${count(sockets, "bot socket")} open` : "the bot is not connected"}`);
  }
}

function actorName(user, team) {
  const kind = user.team_id !== team.id ? " (another company)" : user.is_restricted ? " (guest)" : "";
  return fullName(user) + kind;
}

function byName(one, other) {
  const isLate = Number(Boolean(one.is_archived)) - Number(Boolean(other.is_archived));
  return isLate || (one.name ?? "").localeCompare(other.name ?? "");
}

function channelItem(row, app) {
  const mark = h("span", { class: "item-mark" });
  const name = h("span", { class: "item-name truncate" });
  const draft = h("span", { class: "item-draft", hidden: true }, icon("edit"));
  const badge = h("span", { class: "badge", hidden: true });
  const button = h("button", {
    type: "button", class: "channel-item", on: { click: () => app.places.goTo(row.channel.id) },
  }, mark, name, draft, badge);
  const update = ({ channel }) => {
    const { store, places } = app;
    const isHere = places.place.channel === channel.id;
    const waiting = isHere && !document.hidden ? 0 : app.unread.count(channel.id);
    redraw(mark, `${store.me}/${channel.is_archived}`, () => channelMark(channel, store));
    setText(name, channelName(channel, store));
    setText(badge, String(waiting));
    show(badge, waiting > 0);
    show(draft, !isHere && app.drafts.has(draftPlace(store.person, channel.id)));
    setAttribute(button, "aria-current", isHere ? "page" : null);
    setAttribute(button, "aria-label", itemLabel(channel, waiting, store));
    button.classList.toggle("is-unread", waiting > 0);
    button.classList.toggle("is-muted", Boolean(channel.is_archived));
  };
  update(row);
  return { node: h("li", {}, button), update };
}

function itemLabel(channel, waiting, store) {
  const kind = channel.is_archived ? ", archived" : channel.is_private && !isDirect(channel) ? ", private" : "";
  return `${channelName(channel, store)}${kind}${waiting > 0 ? `, ${count(waiting, "unread message")}` : ""}`;
}
