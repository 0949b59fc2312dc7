/** Faces: coloured initials for people, the mark for the bot; and the card of who someone is. */

import { h } from "../shared/dom.js";
import { botMark, button, icon } from "../shared/icons.js";
import { closePopup, openPopup } from "../shared/popup.js";
import { channelIcon, fullName, isDirect, otherMembers, userName } from "./words.js";

const TONES = 8;

/** The avatar of a user, `size` being "s", "m" or "l". It says nothing to screen readers. */
export function avatar(user, store, size = "m") {
  const isBot = user?.id === store.bot.user_id;
  const look = isBot ? "is-bot" : toneOf(user?.id ?? "");
  const face = isBot ? botMark() : initials(fullName(user));
  return h("span", { class: `avatar avatar-${size} ${look}`, "aria-hidden": "true" }, face);
}

/** The avatars of the first few users, overlapping. */
export function faces(ids, store) {
  const shown = ids.slice(0, 4).map((id) => avatar(store.user(id) ?? { id }, store, "s"));
  return h("span", { class: "faces", "aria-hidden": "true" }, shown);
}

/** What stands for a channel: its sign, or the other person's face. */
export function channelMark(channel, store, size = "s") {
  if (!isDirect(channel)) return icon(channelIcon(channel));
  return avatar(store.user(otherMembers(channel, store)[0]), store, size);
}

function initials(name) {
  const words = name.split(/[\s._-]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return words.slice(0, 2).map((word) => [...word][0].toUpperCase()).join("") || "?";
}

function toneOf(id) {
  const sum = [...id].reduce((total, character) => (total * 31 + character.codePointAt(0)) % 9973, 0);
  return `tone-${(sum % TONES) + 1}`;
}

/** Opens the card of a user beside `anchor`. */
export function openProfile(id, anchor, app) {
  const { store } = app;
  const user = store.user(id) ?? { id };
  const facts = [
    ["Name", user.name],
    ["Time zone", user.tz],
    ["Member id", id],
  ].filter(([, value]) => value);
  const message = () => {
    closePopup();
    app.places.goTo(store.botChannel.id);
    app.focusComposer();
  };
  const card = h("div", { class: "profile" },
    avatar(user, store, "l"),
    h("h3", { text: fullName(user) }),
    user.is_bot ? h("span", { class: "app-badge", text: "App" }) : null,
    h("dl", {}, facts.flatMap(([name, value]) => [h("dt", { text: name }), h("dd", { text: value })])),
    id === store.bot.user_id && store.botChannel ? button("Message", message) : null);
  openPopup(anchor, card, { label: `Profile of ${userName(user)}` });
}
