// The leaves of rich text: text with its style, references, emoji, dates, colours.

import { el, fragment, lines, outsideLink, svg } from "../dom.js";
import { emoji, emojiNode } from "../emoji.js";
import { choice, maybe, need } from "../shapes.js";
import { renderKind } from "../unknown.js";
import { channelMention, dateNode, groupMention, userMention } from "./references.js";

const STYLES = { code: "code", bold: "strong", italic: "em", strike: "s", underline: "u" };
const HEX_COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

const LEAVES = {
  text: (leaf) => lines(need(leaf, "text", "string")),
  link: linkLeaf,
  user: (leaf, ctx) => userMention(need(leaf, "user_id", "string"), null, ctx),
  usergroup: (leaf) => groupMention(need(leaf, "usergroup_id", "string")),
  channel: (leaf, ctx) => channelMention(need(leaf, "channel_id", "string"), null, ctx),
  broadcast: (leaf) => groupMention(choice(leaf, "range", ["here", "channel", "everyone"])),
  emoji: emojiLeaf,
  date: dateLeaf,
  color: (leaf) => colorSwatch(need(leaf, "value", "string")),
  team: (leaf) => groupMention(need(leaf, "team_id", "string")),
};

/** A leaf of a rich text as a node, in its style. */
export function leafNode(leaf, ctx) {
  return renderKind("leaf", STYLED, leaf, ctx);
}

const STYLED = Object.fromEntries(
  Object.entries(LEAVES).map(([type, render]) => [
    type,
    (leaf, ctx) => styled(render(leaf, ctx), maybe(leaf, "style", "object") ?? {}),
  ]),
);

function styled(node, style) {
  return Object.entries(STYLES).reduce(
    (inner, [name, tag]) =>
      style[name] === true ? el(tag, tag === "code" ? { class: "k-code" } : {}, inner) : inner,
    node,
  );
}

function linkLeaf(leaf) {
  const url = need(leaf, "url", "string");
  return outsideLink(url, maybe(leaf, "text", "string") || url);
}

function emojiLeaf(leaf) {
  const name = need(leaf, "name", "string");
  const tone = maybe(leaf, "skin_tone", "number");
  const full = tone === null ? name : `${name}::skin-tone-${tone}`;
  const known = emoji(full);
  if (known !== `:${full}:`) return emojiNode(full, known);
  return emojiNode(name, fromUnicode(maybe(leaf, "unicode", "string")) ?? `:${name}:`);
}

/** The character for `1f389` or `1f468-200d-1f4bb`. */
function fromUnicode(codes) {
  if (codes === null || !/^[0-9a-f]{1,6}(-[0-9a-f]{1,6})*$/i.test(codes)) return null;
  const points = codes.split("-").map((code) => parseInt(code, 16));
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points) : null;
}

function dateLeaf(leaf, ctx) {
  const stamp = need(leaf, "timestamp", "number");
  const fallback = maybe(leaf, "fallback", "string") ?? "";
  const url = maybe(leaf, "url", "string");
  return dateNode(stamp, need(leaf, "format", "string"), url, fallback, ctx);
}

/** A colour's value with a swatch, as Slack shows it; the value alone when it is no hex colour. */
function colorSwatch(value) {
  if (!HEX_COLOR.test(value)) return fragment(value);
  const dot = svg("circle", { cx: "6", cy: "6", r: "5", fill: value });
  const swatch = svg(
    "svg",
    { viewBox: "0 0 12 12", class: "k-swatch", "aria-hidden": "true" },
    dot,
  );
  return fragment(value, swatch);
}
