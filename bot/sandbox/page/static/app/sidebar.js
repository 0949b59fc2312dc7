/** The sidebar: channels, direct messages, the app, and who one acts as. */

import { avatar } from "./avatar.js";
import { h, setAttribute, setText, show } from "./dom.js";
import { draftPlace } from "./drafts.js";
import { icon } from "./icons.js";
import { KeyedList } from "./keyed.js";
import { channelIcon, channelName, otherMembers, placeName } from "./names.js";
import { PersonCard } from "./person.js";
import { isWithBot } from "./store.js";
import { count } from "./time.js";

export class Sidebar {
  constructor(app) {
    this.app = app;
    this.team = h("span", { class: "team-name" });
    const jump = h("button", {
      type: "button", class: "jump-field", on: { click: () => app.openSwitcher() },
    }, icon("search"), h("span", { text: "Jump to…" }), h("kbd", { text: "Ctrl K", "aria-hidden": "true" }));
    this.sections = [
      this.section("Channels", (channel) => !channel.is_im && !channel.is_mpim),
      this.section("Direct messages", (channel) => isDirect(channel) && !isWithBot(channel, app.store)),
      this.section("Apps", (channel) => isWithBot(channel, app.store)),
    ];
    this.person = new PersonCard(app);
    this.node = h("div", { class: "pane pane-nav" },
      h("header", { class: "team" }, h("span", { class: "team-mark", "aria-hidden": "true" }), this.team),
      jump,
      h("nav", { class: "channels", "aria-label": "Channels" }, ...this.sections.map(({ node }) => node)),
      this.person.node);
  }

  section(title, holds) {
    const items = h("ul", { class: "channel-list" });
    const node = h("section", {}, h("h2", { class: "section-title", text: title }), items);
    return { node, holds, list: new KeyedList(items, (row) => channelItem(row, this.app)) };
  }

  update() {
    const { store } = this.app;
    setText(this.team, store.world.team.name);
    const channels = [...store.channels.values()].sort(byName);
    for (const { node, holds, list } of this.sections) {
      const rows = channels.filter(holds).map((channel) => ({ key: channel.id, channel }));
      list.update(rows);
      show(node, rows.length > 0);
    }
    this.person.update();
  }
}

function isDirect(channel) {
  return channel.is_im || channel.is_mpim;
}

function byName(one, other) {
  const isLate = Number(Boolean(one.is_archived)) - Number(Boolean(other.is_archived));
  return isLate || (one.name ?? "").localeCompare(other.name ?? "");
}

function channelItem(row, app) {
  const mark = h("span", { class: "item-mark" });
  const name = h("span", { class: "item-name" });
  const draft = h("span", { class: "item-draft", hidden: true }, icon("edit"));
  const badge = h("span", { class: "badge", hidden: true });
  const button = h("button", {
    type: "button", class: "channel-item",
    on: { click: () => app.places.goTo(row.channel.id) },
  }, mark, name, draft, badge);
  const node = h("li", {}, button);
  const update = (next) => updateItem(next.channel, app, { mark, name, draft, badge, button });
  update(row);
  return { node, update };
}

function updateItem(channel, app, parts) {
  const { store, places, unread, drafts } = app;
  const { mark, name, draft, badge, button } = parts;
  const isHere = places.place.channel === channel.id;
  const waiting = isHere && !document.hidden ? 0 : unread.count(channel.id);
  const look = `${store.me}/${channel.is_archived}`;
  if (mark.dataset.look !== look) {
    mark.dataset.look = look;
    const [other] = otherMembers(channel, store);
    mark.replaceChildren(isDirect(channel) ? avatar(store.user(other), store, "s") : icon(channelIcon(channel)));
  }
  setText(name, channelName(channel, store));
  setText(badge, String(waiting));
  show(badge, waiting > 0);
  show(draft, !isHere && drafts.has(draftPlace(store.person, channel.id)));
  setAttribute(button, "aria-current", isHere ? "page" : null);
  setAttribute(button, "aria-label", itemLabel(channel, waiting, store));
  button.classList.toggle("is-unread", waiting > 0);
  button.classList.toggle("is-muted", Boolean(channel.is_archived));
}

function itemLabel(channel, waiting, store) {
  const name = placeName(channel, store).replace("#", "");
  const kind = channel.is_archived ? ", archived" : channel.is_private && !isDirect(channel) ? ", private" : "";
  return waiting > 0 ? `${name}${kind}, ${count(waiting, "unread message")}` : `${name}${kind}`;
}
