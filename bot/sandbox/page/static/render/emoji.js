// Emoji by their short names.

import { el } from "./dom.js";
import { CHARACTERS } from "./emoji_table.js";

const FIRST_SKIN_TONE = 2;
const SKIN_TONES = ["\u{1F3FB}", "\u{1F3FC}", "\u{1F3FD}", "\u{1F3FE}", "\u{1F3FF}"];
const VARIATION = /\uFE0F$/;

/** The known short names, for completion. */
export const emojiNames = [...CHARACTERS.keys()];

/** The character of `tada` or `wave::skin-tone-3`; an unknown name stays `:name:`. */
export function emoji(name) {
  const [base, tone] = String(name).split("::skin-tone-");
  const character = CHARACTERS.get(base);
  if (character === undefined) return `:${name}:`;
  const modifier = SKIN_TONES[Number(tone) - FIRST_SKIN_TONE];
  return modifier ? character.replace(VARIATION, "") + modifier : character;
}

/** An emoji as an image with a name; an unknown one as its text. */
export function emojiNode(name, character = emoji(name)) {
  if (character === `:${name}:`) return document.createTextNode(character);
  const label = `${name.replaceAll("_", " ")} emoji`;
  return el(
    "span",
    { class: "k-emoji", role: "img", "aria-label": label, title: `:${name}:` },
    character,
  );
}
