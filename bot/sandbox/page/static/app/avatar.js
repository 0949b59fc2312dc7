/** Avatars: coloured initials for people, the mark for the bot. */

import { emoji } from "../render/emoji.js";
import { h } from "./dom.js";
import { botMark } from "./icons.js";
import { authorName, fullName, isFromBot } from "./names.js";

const TONES = 8;

/** The avatar of a user, `size` being "s", "m" or "l". It says nothing to screen readers. */
export function avatar(user, store, size = "m") {
  if (user?.id === store.bot.user_id) return frame(size, "is-bot", botMark());
  return frame(size, toneOf(user?.id ?? ""), initials(fullName(user)));
}

/** The avatar of a post: the icon that it brought, or its author's. */
export function postAvatar(post, store) {
  const shortcode = post.sandbox?.icon_emoji;
  if (shortcode) return frame("m", "is-emoji", emoji(shortcode.replaceAll(":", "")));
  if (post.username && !isFromBot(post, store)) {
    return frame("m", toneOf(post.username), initials(authorName(post, store)));
  }
  return avatar(store.user(post.user) ?? { id: post.user }, store);
}

function frame(size, look, content) {
  return h("span", { class: `avatar avatar-${size} ${look}`, "aria-hidden": "true" }, content);
}

function initials(name) {
  const words = name.split(/[\s._-]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const letters = words.slice(0, 2).map((word) => [...word][0].toUpperCase());
  return letters.join("") || "?";
}

function toneOf(id) {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + character.codePointAt(0)) % 9973;
  return `tone-${(sum % TONES) + 1}`;
}
