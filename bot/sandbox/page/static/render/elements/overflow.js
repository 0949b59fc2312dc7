// The overflow menu: a button with three dots, and its options.

import { el, liveUrl } from "../dom.js";
import { drawing } from "../icons.js";
import { maybe, need } from "../shapes.js";
import { maybeText, textOf } from "../text/object.js";
import { act } from "./acting.js";
import { openPopup } from "./popup.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export function overflow(node, place) {
  const options = need(node, "options", "list");
  const opener = el(
    "button",
    {
      type: "button",
      class: "k-button k-overflow",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
    },
    drawing("more"),
  );
  opener.setAttribute("aria-label", maybe(node, "accessibility_label", "string") ?? "More options");
  const menu = el("div", { class: "k-popup k-menu", role: "menu" });
  let close = null;
  const onClose = () => {
    close = null;
    opener.setAttribute("aria-expanded", "false");
  };
  const leave = () => {
    close?.();
    opener.focus();
  };
  menu.append(...options.map((option) => entry(option, node, place, opener, leave)));
  menu.addEventListener("keydown", (event) => steer(event, menu, leave));
  opener.addEventListener("click", () => {
    if (close) return close();
    close = openPopup(menu, opener, onClose);
    opener.setAttribute("aria-expanded", "true");
    menu.firstElementChild?.focus();
  });
  return el("span", { class: "k-menu-holder" }, opener, menu);
}

function entry(option, node, place, opener, leave) {
  const href = liveUrl(option.url);
  const attributes = { class: "k-menu-item", role: "menuitem", tabindex: "-1" };
  const link = { href, rel: "noopener noreferrer", target: "_blank" };
  const self = el(
    href === null ? "button" : "a",
    href === null ? { ...attributes, type: "button" } : { ...attributes, ...link },
    el("span", {}, textOf(option, "text", place.ctx)),
    described(option, place.ctx),
  );
  self.addEventListener("click", () => {
    leave();
    act(place, node, maybe(option, "value", "string"), opener);
  });
  return self;
}

/** The second line of an option, or null. */
export function described(option, ctx) {
  const description = maybeText(option, "description", ctx);
  return description && el("span", { class: "k-option-description" }, description);
}

function steer(event, menu, leave) {
  const items = [...menu.children];
  if (event.key === "Escape") leave();
  else if (event.key in STEPS) {
    const next = items.indexOf(document.activeElement) + STEPS[event.key];
    items.at(next % items.length)?.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}
