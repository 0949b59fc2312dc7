/** Emoji by their short names, which the server knows: showing one, searching, picking. */

import { h } from "../shared/dom.js";
import { closePopup, openPopup } from "../shared/popup.js";

const SHOWN = 160;
const FIRST = ["+1", "heart", "tada", "eyes", "white_check_mark", "joy", "thinking_face", "rocket"];

/** The character of `tada`; an unknown name stays `:name:`. */
export function emoji(name, store) {
  return store.team.emoji[name] ?? `:${name}:`;
}

/** Names that match what was typed: those that begin with it, then those that contain it. */
export function findEmoji(typed, store, limit = SHOWN) {
  const names = [...new Set([...FIRST, ...Object.keys(store.team.emoji)])];
  const wanted = typed.toLowerCase();
  const found = names.filter((name) => name.includes(wanted));
  return [...found.filter((name) => name.startsWith(wanted)), ...found.filter((name) => !name.startsWith(wanted))].slice(0, limit);
}

/** Opens the picker beside a control; `choose(name)` is called with the short name. */
export function openEmojiPicker(anchor, store, choose) {
  const grid = h("div", { class: "emoji-grid" });
  const pick = (name) => {
    closePopup();
    choose(name);
  };
  const cell = (name) =>
    h("button", {
      type: "button", class: "emoji-cell", title: `:${name}:`, "aria-label": name.replaceAll("_", " "),
      text: emoji(name, store), on: { click: () => pick(name) },
    });
  const search = h("input", {
    type: "search", class: "field", placeholder: "Search emoji", "aria-label": "Search emoji", autocomplete: "off",
  });
  const fill = () => grid.replaceChildren(...findEmoji(search.value, store).map(cell));
  search.addEventListener("input", fill);
  search.addEventListener("keydown", (event) => {
    const [first] = findEmoji(search.value, store, 1);
    if (event.key !== "Enter" || !first) return;
    event.preventDefault();
    pick(first);
  });
  fill();
  openPopup(anchor, h("div", { class: "picker" }, search, grid), { label: "Emoji" });
}
