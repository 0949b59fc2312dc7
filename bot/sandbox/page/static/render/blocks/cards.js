// Cards and carousels of cards.

import { el } from "../dom.js";
import { element } from "../elements.js";
import { iconNode } from "../elements/buttons.js";
import { picture } from "../elements/picture.js";
import { drawing } from "../icons.js";
import { Malformed, maybe, need } from "../shapes.js";
import { maybeText } from "../text/object.js";
import { renderOnly } from "../unknown.js";
import { placeIn } from "./basic.js";

const NEEDED = ["hero_image", "title", "actions", "body"];

export function card(block, ctx) {
  if (!NEEDED.some((name) => block[name])) throw new Malformed("title is missing");
  const hero = maybe(block, "hero_image", "object");
  const actions = maybe(block, "actions", "list") ?? [];
  return el(
    "div",
    { class: "k-card" },
    hero && picture(hero, "k-card-hero"),
    el("div", { class: "k-card-head" }, iconOf(block), titles(block, ctx)),
    line(block, "body", ctx),
    line(block, "subtext", ctx),
    actions.length > 0 &&
      el(
        "div",
        { class: "k-actions k-card-actions" },
        actions.map((node) => element(node, placeIn(block, ctx))),
      ),
  );
}

function titles(block, ctx) {
  return el(
    "div",
    { class: "k-card-titles" },
    line(block, "title", ctx),
    line(block, "subtitle", ctx),
  );
}

function line(block, name, ctx) {
  const text = maybeText(block, name, ctx);
  return text && el("div", { class: `k-card-${name}` }, text);
}

function iconOf(block) {
  const image = maybe(block, "icon", "object");
  if (image !== null) return picture(image, "k-card-icon");
  const icon = maybe(block, "slack_icon", "object");
  return icon && el("span", { class: "k-card-glyph" }, iconNode(need(icon, "name", "string")));
}

/** Cards side by side, to be scrolled by hand, by keyboard or with two buttons. */
export function carousel(block, ctx) {
  const cards = need(block, "elements", "list");
  const items = cards.map((each) => el("li", {}, renderOnly("card", "card", card, each, ctx)));
  const track = el(
    "ul",
    { class: "k-carousel-track", tabindex: "0", "aria-label": `${cards.length} cards` },
    items,
  );
  return el("div", { class: "k-carousel" }, track, stepper(track, "left"), stepper(track, "right"));
}

function stepper(track, side) {
  const name = side === "left" ? "Earlier cards" : "Further cards";
  const self = el(
    "button",
    { type: "button", class: `k-icon-button k-carousel-${side}`, "aria-label": name },
    drawing(side),
  );
  self.addEventListener("click", () => {
    track.scrollBy({ left: (side === "left" ? -1 : 1) * track.clientWidth * 0.8 });
  });
  return self;
}
