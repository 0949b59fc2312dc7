// Blocks that hold others: containers, and the connection to a provider.

import { el, liveUrl } from "../dom.js";
import { element } from "../elements.js";
import { picture, pictureAt } from "../elements/picture.js";
import { drawing } from "../icons.js";
import { richInline } from "../rich_text.js";
import { choice, maybe, need } from "../shapes.js";
import { maybeText, textOf } from "../text/object.js";
import { placeIn } from "./basic.js";

const WIDTHS = ["standard", "narrow", "wide", "full"];

/** A group of blocks with a title, which may be folded away. `render` renders the children. */
export function container(block, ctx, render) {
  const width = choice(block, "width", WIDTHS);
  const children = el(
    "div",
    { class: "k-container-body" },
    render(need(block, "child_blocks", "list"), ctx),
  );
  const head = containerHead(block, ctx);
  const attributes = { class: `k-container k-width-${width}` };
  if (block.is_collapsible !== true) {
    const divided = block.has_header_divider === true ? " k-divided" : "";
    return el(
      "section",
      attributes,
      el("div", { class: `k-container-head${divided}` }, head),
      children,
    );
  }
  const summary = el(
    "summary",
    { class: "k-container-head" },
    head,
    el("span", { class: "k-turn" }, drawing("down")),
  );
  return el(
    "details",
    { ...attributes, open: block.default_collapsed !== true },
    summary,
    children,
  );
}

function containerHead(block, ctx) {
  const icon = maybe(block, "icon", "object");
  const rich = maybe(block, "rich_text_title", "object");
  const title = rich ? richInline(rich, ctx) : textOf(block, "title", ctx);
  const subtitle = maybeText(block, "subtitle", ctx);
  return [
    icon && picture(icon, "k-card-icon"),
    el(
      "span",
      { class: "k-card-titles" },
      el("span", { class: "k-container-title" }, title),
      subtitle && el("span", { class: "k-card-subtitle" }, subtitle),
    ),
  ];
}

/** An account with a provider: whether it is connected, and the way to change that. */
export function authProvider(block, ctx) {
  const value = need(block, "value", "string");
  const isConnected = block.is_connected === true;
  const icon = maybe(block, "icon_url", "string");
  const place = placeIn(block, ctx);
  const accessory = maybe(block, "accessory", "object");
  return el(
    "div",
    { class: "k-small-card" },
    icon === null
      ? el("span", { class: "k-small-icon" }, drawing("link"))
      : pictureAt(icon, "", "k-card-icon"),
    el(
      "span",
      { class: "k-small-words" },
      el("strong", {}, textOf(block, "name", ctx)),
      state(block, isConnected, ctx),
    ),
    isConnected && accessory
      ? element(accessory, place)
      : element(connector(block, value, isConnected), place),
  );
}

function state(block, isConnected, ctx) {
  const words = isConnected
    ? [
        "Connected",
        maybeText(block, "connected_identity", ctx),
        maybeText(block, "connected_context", ctx),
      ]
    : [maybeText(block, "description", ctx) ?? "Not connected"];
  const parts = words.filter(Boolean).flatMap((word) => [" · ", word]);
  return el("span", { class: "k-muted" }, parts.slice(1));
}

function connector(block, value, isConnected) {
  const url = liveUrl(isConnected ? block.disconnect_url : block.auth_url);
  return {
    type: "button",
    text: { type: "plain_text", text: isConnected ? "Disconnect" : "Connect" },
    action_id: `auth_provider_${isConnected ? "disconnect" : "connect"}_${value}`,
    ...(isConnected ? {} : { style: "primary" }),
    ...(url ? { url } : {}),
  };
}
