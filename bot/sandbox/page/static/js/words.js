/** How people, channels, times and sizes are called on the page. */

/** The name that a post of this user shows; a user without a name shows the id. */
export function userName(user, fallback = "Unknown user") {
  if (!user) return fallback;
  return user.profile?.display_name || user.real_name || user.name || user.id;
}

/** The person's whole name, for menus and profiles. */
export function fullName(user) {
  return user?.real_name || userName(user);
}

export function authorName(post, store) {
  const user = store.user(post.user);
  return user ? fullName(user) : post.user || "Unknown user";
}

/** The other side of a direct channel, as seen by the present person. */
export function otherMembers(channel, store) {
  const others = (channel.members ?? []).filter((id) => id !== store.me);
  return others.length > 0 ? others : [channel.user ?? store.me];
}

/** "general", or the names of the others in a direct channel. */
export function channelName(channel, store) {
  if (!channel) return "unknown channel";
  if (!channel.is_im && !channel.is_mpim) return channel.name;
  return otherMembers(channel, store).map((id) => userName(store.user(id), id)).join(", ");
}

/** "#general", or the names of the others: as a place is named in sentences. */
export function placeName(channel, store) {
  const sign = channel && !channel.is_im && !channel.is_mpim ? "#" : "";
  return sign + channelName(channel, store);
}

export function channelIcon(channel) {
  if (channel.is_archived) return "archive";
  return channel.is_private ? "lock" : "hash";
}

/** Whether the present person can write in a channel. */
export function mayPost(channel) {
  return !channel.is_archived && channel.am_member !== false;
}

export function isDirect(channel) {
  return channel.is_im || channel.is_mpim;
}

/** The first words of a post in plain text, at most `length` characters. */
export function excerpt(post, length = 140) {
  const files = (post.files ?? []).map((file) => file.title || file.name).join(", ");
  const text = post.typed.replace(/\s+/g, " ").trim() || files;
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

const FORMS = {
  time: { hour: "numeric", minute: "2-digit" },
  seconds: { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false },
  year: { year: "numeric" },
  day: { weekday: "long", month: "long", day: "numeric" },
  longDay: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
  full: { dateStyle: "full", timeStyle: "medium" },
};
const written = {};
let zone = null;

/** All times are in the zone of the person who reads, as those in a post are. */
export function readIn(timeZone) {
  if (zone === timeZone) return;
  zone = timeZone;
  for (const [name, form] of Object.entries(FORMS)) {
    const format = new Intl.DateTimeFormat("en", { ...form, timeZone });
    written[name] = (ts) => format.format(dateOf(ts));
  }
}
const DAY_S = 86_400;

export const dateOf = (ts) => new Date(Number(ts) * 1000);

/** "2:05 PM" */
export const timeLabel = (ts) => written.time(ts);

/** "14:05:09" */
export const secondsLabel = (atS) => written.seconds(atS);

/** The whole date and time, for tooltips. */
export const fullLabel = (ts) => written.full(ts);

/** A key that is the same for all moments of one day. */
export const dayKey = (ts) => written.longDay(ts);

/** "Today", "Yesterday", or the day's name and date. */
export function dayLabel(ts, nowS) {
  if (dayKey(ts) === dayKey(nowS)) return "Today";
  if (dayKey(ts) === dayKey(nowS - DAY_S)) return "Yesterday";
  return written.year(ts) === written.year(nowS) ? written.day(ts) : dayKey(ts);
}

/** "just now", "5 minutes ago", "today at 2:05 PM", "Friday, June 5 at 2:05 PM" */
export function agoLabel(ts, nowS) {
  const ageS = nowS - Number(ts);
  if (ageS < 60) return "just now";
  if (ageS < 3600) return `${count(Math.floor(ageS / 60), "minute")} ago`;
  const day = dayLabel(ts, nowS);
  return `${day.endsWith("day") ? day.toLowerCase() : day} at ${timeLabel(ts)}`;
}

/** "1 reply", "3 replies" */
export function count(number, noun, plural = `${noun}s`) {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** A number in few characters: "1,250", "2.4M". */
export function shortNumber(value) {
  const notation = Math.abs(value) >= 100_000 ? "compact" : "standard";
  return value.toLocaleString("en-US", { notation, maximumFractionDigits: 2 });
}
