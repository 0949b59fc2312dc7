// Dates as Slack writes them: its tokens, days in words, times of day. All in the reader's zone.

const DAY_S = 86_400;
const SPANS = [
  ["year", 365 * DAY_S],
  ["month", 30 * DAY_S],
  ["day", DAY_S],
  ["hour", 3600],
  ["minute", 60],
];
const MAX_EPOCH_S = 8_640_000_000_000;

const NAMED_TOKENS = {
  date_num: (at) => `${at.year}-${at.month2}-${at.day2}`,
  date: (at) => `${at.monthLong} ${ordinal(at.day)}, ${at.year}`,
  date_short: (at) => `${at.monthShort} ${at.day}, ${at.year}`,
  date_long: (at) => `${at.weekday}, ${at.monthLong} ${ordinal(at.day)}, ${at.year}`,
  time: (at) => at.time,
  time_secs: (at) => at.timeSecs,
};
const PRETTY_TOKENS = {
  date_pretty: "date",
  date_short_pretty: "date_short",
  date_long_pretty: "date_long",
};

/** Whether this is a moment that can be written out. */
export const isMoment = (epochS) => Number.isFinite(epochS) && Math.abs(epochS) <= MAX_EPOCH_S;

/** `format` with Slack's tokens filled in; an unknown token stays as it is. */
export function dateText(epochS, format, nowS) {
  const at = describe(epochS);
  return format.replace(/\{(\w+)\}/g, (token, name) => {
    if (Object.hasOwn(NAMED_TOKENS, name)) return NAMED_TOKENS[name](at);
    if (name === "ago") return ago(epochS, nowS);
    if (!Object.hasOwn(PRETTY_TOKENS, name)) return token;
    return nearDay(epochS, nowS) ?? NAMED_TOKENS[PRETTY_TOKENS[name]](at);
  });
}

/** The time of day, `6:39 PM`. */
export const timeText = (epochS) => describe(epochS).time;

/** The day, in words where it is near: `today`, `yesterday`, `Feb 18, 2014`. */
export const dayText = (epochS, nowS) => dateText(epochS, "{date_short_pretty}", nowS);

/** How long ago, in words: `3 minutes ago`, `in 2 hours`. */
export function ago(epochS, nowS) {
  const apartS = Math.abs(nowS - epochS);
  const [unit, lengthS] = SPANS.find(([, spanS]) => apartS >= spanS) ?? [];
  if (unit === undefined) return "just now";
  const count = Math.floor(apartS / lengthS);
  const words = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return epochS > nowS ? `in ${words}` : `${words} ago`;
}

function nearDay(epochS, nowS) {
  const names = { "-1": "yesterday", 0: "today", 1: "tomorrow" };
  return names[dayNumber(epochS) - dayNumber(nowS)];
}

function dayNumber(epochS) {
  const date = new Date(epochS * 1000);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / (DAY_S * 1000);
}

function describe(epochS) {
  const date = new Date(epochS * 1000);
  const word = (options) => date.toLocaleDateString("en-US", options);
  const two = (number) => String(number).padStart(2, "0");
  const clock = { hour: "numeric", minute: "2-digit" };
  return {
    year: date.getFullYear(),
    day: date.getDate(),
    month2: two(date.getMonth() + 1),
    day2: two(date.getDate()),
    monthLong: word({ month: "long" }),
    monthShort: word({ month: "short" }),
    weekday: word({ weekday: "long" }),
    time: date.toLocaleTimeString("en-US", clock),
    timeSecs: date.toLocaleTimeString("en-US", { ...clock, second: "2-digit" }),
  };
}

function ordinal(day) {
  const endings = { one: "st", two: "nd", few: "rd", other: "th" };
  return day + endings[new Intl.PluralRules("en-US", { type: "ordinal" }).select(day)];
}
