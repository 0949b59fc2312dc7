/** The page's sentences (`words/<language>.ftl`), and numbers, times and durations as its language writes them. */

const LANGUAGES = ["en", "de", "es", "fr"];
const MESSAGE = /^([a-z][\w-]*) = (.+)$/gm;
const SLOT = /\{ \$(\w+) \}/g;

const sentences = new Map();
let clock, moment, numbers;

/** Reads the sentences of the first language of the person's that there is, else the English ones. */
export async function learnWords() {
  const wanted = navigator.languages.map((tag) => tag.split("-")[0]);
  const language = wanted.find((tag) => LANGUAGES.includes(tag)) ?? LANGUAGES[0];
  const response = await fetch(`/static/words/${language}.ftl`);
  for (const [, key, text] of (await response.text()).matchAll(MESSAGE)) sentences.set(key, text);
  document.documentElement.lang = language;
  clock = new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit", second: "2-digit" });
  moment = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "medium" });
  numbers = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
}

/** The sentence of a key with its slots filled; the key itself shows that one is missing. */
export function say(key, slots = {}) {
  return (sentences.get(key) ?? key).replace(SLOT, (_, name) => String(slots[name] ?? ""));
}

/** "14:05:09", of a moment in ms. */
export const timeLabel = (atMs) => clock.format(atMs);

/** The whole date and time, for tooltips. */
export const fullLabel = (atMs) => moment.format(atMs);

/** A number in few characters: "950", "12.4K". */
export const shortNumber = (value) => numbers.format(value);

/** "0.4 s", "12 s", "2 min 05 s", "1 h 02 min"; empty for what is no duration. */
export function durationLabel(seconds) {
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 10) return `${numbers.format(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const [major, minor, units] = whole < 3600 ? [whole / 60, whole % 60, ["min", "s"]] : [whole / 3600, (whole % 3600) / 60, ["h", "min"]];
  return `${Math.floor(major)} ${units[0]} ${String(Math.floor(minor)).padStart(2, "0")} ${units[1]}`;
}
