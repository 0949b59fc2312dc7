/** The reactions below a post: counted, named, and pressed to join or leave. */

import { emoji } from "../render/emoji.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { userName } from "./names.js";
import { openEmojiPicker } from "./picker.js";

/** The chips and the button that adds one; null when there is no reaction. */
export function reactionBar(row, app) {
  const reactions = row.post.reactions ?? [];
  if (reactions.length === 0) return null;
  const chips = reactions.map((reaction) => chip(reaction, row, app));
  const add = h("button", {
    type: "button", class: "reaction is-add", "aria-label": "Add another reaction",
    on: { click: () => openEmojiPicker(add, (name) => react(app, row, name)) },
  }, icon("smileAdd"));
  return [...chips, add];
}

function chip(reaction, row, app) {
  const isMine = reaction.users.includes(app.store.me);
  const names = reaction.users.map((id) => (id === app.store.me ? "You" : userName(app.store.user(id), id)));
  const title = `${joined(names)} reacted with :${reaction.name}:`;
  return h("button", {
    type: "button", class: "reaction", title,
    "aria-pressed": String(isMine),
    "aria-label": `${reaction.count} ${reaction.name}: ${joined(names)}`,
    on: { click: () => react(app, row, reaction.name, isMine) },
  }, h("span", { class: "reaction-emoji", text: emoji(reaction.name) }), h("span", { text: String(reaction.count) }));
}

/** Adds a reaction of the present person, or takes it back. */
export function react(app, { channel, post }, name, remove = false) {
  return app.attempt("react", { channel, ts: post.ts, name, remove });
}

function joined(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
