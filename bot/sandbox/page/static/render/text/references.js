// What `<...>` and rich text refer to: people, channels, groups, broadcasts, dates, addresses.

import { dateText, isMoment } from "../dates.js";
import { el, liveUrl, outsideLink } from "../dom.js";

const BROADCASTS = ["here", "channel", "everyone"];

/** A mention of a person, with the name that they go by. */
export function userMention(id, label, ctx) {
  const name = userName(ctx.users?.[id]) ?? label ?? id;
  const kind = id === ctx.me ? "k-mention k-mention-me" : "k-mention";
  return inside(`@${name}`, kind, id, () => ctx.openUser?.(id));
}

/** The name that a user goes by, or null. */
export function userName(user) {
  return user?.profile?.display_name || user?.real_name || user?.name || null;
}

/** A mention of a channel. */
export function channelMention(id, label, ctx) {
  const name = channelName(id, ctx) ?? label ?? id;
  return inside(`#${name}`, "k-mention k-mention-channel", id, () => ctx.openChannel?.(id));
}

/** A channel's name; of a direct one the name of the other person. Null for an unknown one. */
export function channelName(id, ctx) {
  const channel = channelsOf(ctx).find((known) => known.id === id);
  if (!channel) return null;
  return channel.name || userName(ctx.users?.[channel.user]) || channel.id;
}

/** The channels that the context knows, whether it holds a list or a table by id. */
export function channelsOf(ctx) {
  return Array.isArray(ctx.channels) ? ctx.channels : Object.values(ctx.channels ?? {});
}

/** A mention that goes to many: `@here`, a group. It is no link. */
export function groupMention(name) {
  return el("span", { class: "k-mention k-mention-group" }, `@${name}`);
}

/** A date in the person's zone; the fallback where the moment or the format says nothing. */
export function dateNode(epochS, format, url, fallback, ctx) {
  if (!isMoment(epochS) || !format) return document.createTextNode(fallback ?? "");
  const words = dateText(epochS, format, ctx.now());
  const time = el(
    "time",
    { datetime: new Date(epochS * 1000).toISOString(), title: fallback, class: "k-date" },
    words,
  );
  return url ? outsideLink(url, time) : time;
}

/** The node for the inside of `<...>`, or null when it refers to nothing. */
export function reference(inner, ctx, unescape = (text) => text) {
  const bar = inner.indexOf("|");
  const target = bar < 0 ? inner : inner.slice(0, bar);
  const label = bar < 0 ? null : unescape(inner.slice(bar + 1));
  const id = target.slice(1);
  if (/^@\w+$/.test(target)) return userMention(id, label, ctx);
  if (/^#\w+$/.test(target)) return channelMention(id, label, ctx);
  if (target.startsWith("!")) return special(id, label, ctx, unescape);
  const address = unescape(target);
  return liveUrl(address) ? outsideLink(address, label || address.replace(/^mailto:/, "")) : null;
}

function special(command, label, ctx, unescape) {
  const [name, ...rest] = command.split("^");
  if (BROADCASTS.includes(name)) return groupMention(name);
  if (name === "subteam") return groupMention((label ?? rest[0] ?? "group").replace(/^@/, ""));
  if (name !== "date") return label === null ? null : document.createTextNode(label);
  const [stamp, format, url] = rest;
  const epochS = /^-?\d+$/.test(stamp ?? "") ? Number(stamp) : NaN;
  return dateNode(epochS, unescape(format ?? ""), url && unescape(url), label, ctx);
}

function inside(text, kind, id, open) {
  const link = el("a", { class: kind, href: `#${encodeURIComponent(id)}` }, text);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    open();
  });
  return link;
}
