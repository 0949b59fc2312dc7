/** Times as people read them, in the browser's own zone and words. */

const TIME = new Intl.DateTimeFormat("en", { hour: "numeric", minute: "2-digit" });
const SECONDS = new Intl.DateTimeFormat("en", {
  hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false,
});
const DAY = new Intl.DateTimeFormat("en", { weekday: "long", month: "long", day: "numeric" });
const LONG_DAY = new Intl.DateTimeFormat("en", {
  weekday: "long", year: "numeric", month: "long", day: "numeric",
});
const FULL = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "medium" });
const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

export function dateOf(ts) {
  return new Date(Number(ts) * 1000);
}

/** "2:05 PM" */
export function timeLabel(ts) {
  return TIME.format(dateOf(ts));
}

/** "14:05:09" */
export function secondsLabel(atS) {
  return SECONDS.format(dateOf(atS));
}

/** The whole date and time, for tooltips. */
export function fullLabel(ts) {
  return FULL.format(dateOf(ts));
}

/** A key that is the same for all moments of one day. */
export function dayKey(ts) {
  return dateOf(ts).toDateString();
}

/** "Today", "Yesterday", or the day's name and date. */
export function dayLabel(ts, nowS) {
  const day = dayKey(ts);
  if (day === dayKey(nowS)) return "Today";
  if (day === dayKey(nowS - DAY_S)) return "Yesterday";
  const date = dateOf(ts);
  const isThisYear = date.getFullYear() === dateOf(nowS).getFullYear();
  return (isThisYear ? DAY : LONG_DAY).format(date);
}

/** "just now", "5 minutes ago", "today at 2:05 PM", "Friday, June 5 at 2:05 PM" */
export function agoLabel(ts, nowS) {
  const ageS = nowS - Number(ts);
  if (ageS < MINUTE_S) return "just now";
  if (ageS < HOUR_S) return count(Math.floor(ageS / MINUTE_S), "minute") + " ago";
  const day = dayLabel(ts, nowS);
  const spoken = day === "Today" || day === "Yesterday" ? day.toLowerCase() : day;
  return `${spoken} at ${timeLabel(ts)}`;
}

/** "1 reply", "3 replies" */
export function count(number, noun, plural = `${noun}s`) {
  return `${number} ${number === 1 ? noun : plural}`;
}
