/** The line below a post that leads into its thread: who replied, how often, when last. */

import { avatar } from "./avatar.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { count } from "./time.js";

const MAX_FACES = 4;

/** A button, or null where there is no thread to lead into. */
export function threadSummary(row, app) {
  const { post, replies = [], summary, isNew, place } = row;
  if (place === "thread" || replies.length === 0) return null;
  const users = [...new Set(replies.map((reply) => reply.user))].slice(0, MAX_FACES);
  const faces = users.map((id) => avatar(app.store.user(id) ?? { id }, app.store, "s"));
  const label = h("span", { class: "summary-count", text: count(replies.length, "reply", "replies") });
  return h("button", {
    type: "button",
    class: isNew ? "thread-summary is-new" : "thread-summary",
    on: { click: () => app.places.openThread(post.ts) },
  },
  h("span", { class: "faces", "aria-hidden": "true" }, ...faces),
  label,
  h("span", { class: "summary-last", text: isNew ? `New: ${lowerFirst(summary)}` : summary }),
  icon("next"));
}

function lowerFirst(text) {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
