// Buttons: plain ones, links, workflow and icon buttons, and the pair for feedback.

import { el, fragment, liveUrl } from "../dom.js";
import { emojiNode } from "../emoji.js";
import { drawing, emojiOfIcon } from "../icons.js";
import { choice, maybe, need } from "../shapes.js";
import { textOf, wordsOf } from "../text/object.js";
import { act } from "./acting.js";
import { registerField } from "./fields.js";

/** A button, or a link that looks like one when it has an address. */
export function button(node, place) {
  if (isHidden(node, place.ctx)) return fragment();
  const style = choice(node, "style", ["default", "primary", "danger"]);
  const attributes = {
    class: style === "default" ? "k-button" : `k-button k-${style}`,
    "aria-label": maybe(node, "accessibility_label", "string"),
    title: maybe(node, "agent_prompt", "string"),
  };
  const text = textOf(node, "text", place.ctx);
  const href = liveUrl(node.url);
  return href === null
    ? pressed(node, place, attributes, text)
    : linked(node, place, attributes, text, href);
}

function pressed(node, place, attributes, ...content) {
  const self = el("button", { type: "button", ...attributes }, ...content);
  self.addEventListener("click", () => act(place, node, maybe(node, "value", "string"), self));
  return self;
}

/** A link opens at once, or after the confirmation; either way the app is told. */
function linked(node, place, attributes, text, href) {
  const self = el("a", { ...attributes, href, rel: "noopener noreferrer", target: "_blank" }, text);
  self.addEventListener("click", async (event) => {
    const waits = Boolean(node.confirm);
    if (waits) event.preventDefault();
    const agreed = await act(place, node, maybe(node, "value", "string"), self);
    if (waits && agreed) window.open(href, "_blank", "noopener,noreferrer");
  });
  return self;
}

/** A button with an icon; its text is its name. */
export function iconButton(node, place) {
  if (isHidden(node, place.ctx)) return fragment();
  const icon = need(node, "icon", "string");
  const name =
    maybe(node, "accessibility_label", "string") ??
    wordsOf(need(node, "text", "object"), place.ctx);
  const attributes = { class: "k-icon-button", "aria-label": name, title: name };
  return pressed(node, place, attributes, iconNode(icon) ?? name);
}

/** Slack's icon of that name, or null. */
export function iconNode(name) {
  const known = emojiOfIcon(name);
  return drawing(name) ?? (known && emojiNode(known));
}

/** Two buttons of which one may be chosen; the choice is shown, and is the value of the pair. */
export function feedbackButtons(node, place) {
  const up = feedbackButton(need(node, "positive_button", "object"), "thumbs-up", place);
  const down = feedbackButton(need(node, "negative_button", "object"), "thumbs-down", place);
  const attributes = { class: "k-feedback", role: "group", "aria-label": "Feedback" };
  const root = el("span", attributes, up.self, down.self);
  let chosen = null;
  const write = (value) => {
    chosen = value;
    for (const each of [up, down]) {
      each.self.setAttribute("aria-pressed", String(each.value === value));
    }
  };
  for (const { self, value } of [up, down]) {
    self.addEventListener("click", async () => {
      if (await act(place, node, value, self)) write(value);
    });
  }
  write(null);
  return registerField(root, node, place, { read: () => chosen, write });
}

function feedbackButton(side, icon, place) {
  const words = wordsOf(need(side, "text", "object"), place.ctx);
  const name = maybe(side, "accessibility_label", "string") ?? words;
  const attributes = { type: "button", class: "k-icon-button", "aria-label": name, title: words };
  return { self: el("button", attributes, drawing(icon)), value: need(side, "value", "string") };
}

function isHidden(node, ctx) {
  const people = maybe(node, "visible_to_user_ids", "list");
  return people !== null && people.length > 0 && !people.includes(ctx.me);
}
