/** Slack's wire text back into what a person would have typed, for editing and for being read aloud. */

import { userName } from "./names.js";

const REFERENCE = /<([^<>]+)>/g;

/** The typed form: `@ann`, `#general`, bare links, no escapes. */
export function toTyped(text, store) {
  const typed = text.replace(REFERENCE, (_, inner) => typeReference(inner, store));
  return typed.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function typeReference(inner, store) {
  const [target, label] = inner.split("|", 2);
  if (target.startsWith("@")) return `@${handleOf(target.slice(1), store)}`;
  if (target.startsWith("#")) return `#${label || store.channel(target.slice(1))?.name || target}`;
  if (target.startsWith("!")) return label || `@${target.slice(1)}`;
  return target;
}

function handleOf(id, store) {
  const user = store.user(id);
  return user?.name || userName(user, id);
}

/** The first words of a post in plain text, at most `length` characters. */
export function excerpt(post, store, length = 140) {
  const files = (post.files ?? []).map((file) => file.title || file.name).join(", ");
  const text = toTyped(post.text || "", store).replace(/\s+/g, " ").trim() || files;
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
