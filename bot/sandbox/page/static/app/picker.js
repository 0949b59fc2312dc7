/** The emoji picker, and the search through emoji names that the composer uses too. */

import { emoji } from "../render/emoji.js";
import { CHARACTERS } from "../render/emoji_table.js";
import { h } from "./dom.js";
import { closePopup, openPopup } from "./popup.js";

const SHOWN = 160;
const FIRST = ["+1", "heart", "tada", "eyes", "white_check_mark", "joy", "thinking_face", "rocket"];

/** Emoji names that match what was typed: those that begin with it, then those that contain it. */
export function findEmoji(typed, limit = SHOWN) {
  const names = [...new Set([...FIRST, ...CHARACTERS.keys()])].filter((name) => CHARACTERS.has(name));
  const wanted = typed.toLowerCase();
  const starting = names.filter((name) => name.startsWith(wanted));
  const containing = names.filter((name) => !name.startsWith(wanted) && name.includes(wanted));
  return [...starting, ...containing].slice(0, limit);
}

/** Opens the picker beside a control; `choose(name)` is called with the short name. */
export function openEmojiPicker(anchor, choose) {
  const grid = h("div", { class: "emoji-grid" });
  const search = h("input", {
    type: "search", class: "field", placeholder: "Search emoji", "aria-label": "Search emoji", autocomplete: "off",
  });
  const pick = (name) => {
    closePopup();
    choose(name);
  };
  const fill = () => grid.replaceChildren(...findEmoji(search.value).map((name) => cell(name, pick)));
  search.addEventListener("input", fill);
  search.addEventListener("keydown", (event) => {
    const first = findEmoji(search.value, 1)[0];
    if (event.key !== "Enter" || !first) return;
    event.preventDefault();
    pick(first);
  });
  fill();
  openPopup(anchor, h("div", { class: "picker" }, search, grid), { label: "Emoji" });
}

function cell(name, pick) {
  const label = name.replaceAll("_", " ");
  return h("button", {
    type: "button", class: "emoji-cell", title: `:${name}:`, "aria-label": label, text: emoji(name),
    on: { click: () => pick(name) },
  });
}
