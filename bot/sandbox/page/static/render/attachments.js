// Attachments in the old style: a coloured bar beside text, fields, images and blocks.

import { blocks } from "./blocks.js";
import { dayText, isMoment, timeText } from "./dates.js";
import { el, outsideLink } from "./dom.js";
import { pictureAt } from "./elements/picture.js";
import { mrkdwn } from "./mrkdwn.js";
import { maybe, need } from "./shapes.js";
import { plain } from "./text/object.js";
import { renderOnly, unknownBox } from "./unknown.js";

const COLORS = { good: "#2eb67d", warning: "#ecb22e", danger: "#e01e5a" };
const HEX_COLOR = /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
const SHOWN = [
  "author_icon",
  "author_link",
  "author_name",
  "author_subname",
  "blocks",
  "color",
  "fields",
  "footer",
  "footer_icon",
  "image_url",
  "pretext",
  "text",
  "thumb_url",
  "title",
  "title_link",
  "ts",
];
const SILENT = ["callback_id", "fallback", "id", "mrkdwn_in", "attachment_type", "unfurl_links"];

/** One attachment; fields that are not known are shown as JSON below it. */
export function attachment(value, ctx) {
  return renderOnly("attachment", "attachment", build, value, ctx);
}

function build(value, ctx) {
  const parts = [...words(value, ctx), ...extras(value, ctx), unknownFields(value)].filter(Boolean);
  const fallback = maybe(value, "fallback", "string");
  const body = el("div", { class: "k-attachment" }, parts.length ? parts : plain(fallback ?? ""));
  const color = colorOf(maybe(value, "color", "string"));
  if (color) body.style.setProperty("--k-bar", color);
  const pretext = markup(value, "pretext", "k-pretext", ctx);
  return el("div", { class: "k-attachment-holder" }, pretext, body);
}

function words(value, ctx) {
  const title = maybe(value, "title", "string");
  const thumb = maybe(value, "thumb_url", "string");
  return [
    thumb === null ? null : pictureAt(thumb, "", "k-attachment-thumb"),
    author(value),
    title === null
      ? null
      : el("div", { class: "k-attachment-title" }, outsideLink(value.title_link, plain(title))),
    markup(value, "text", "k-text", ctx),
  ];
}

function extras(value, ctx) {
  const fields = maybe(value, "fields", "list");
  const image = maybe(value, "image_url", "string");
  return [
    fields === null
      ? null
      : el(
          "div",
          { class: "k-attachment-fields" },
          fields.map((entry) => renderOnly("field", "field", field, entry, ctx)),
        ),
    image === null ? null : pictureAt(image, String(value.fallback ?? ""), "k-image-large"),
    value.blocks === undefined ? null : blocks(value.blocks, ctx),
    footer(value, ctx),
  ];
}

function markup(value, name, className, ctx) {
  const text = maybe(value, name, "string");
  return text === null || text === "" ? null : el("div", { class: className }, mrkdwn(text, ctx));
}

function author(value) {
  const name = maybe(value, "author_name", "string");
  if (name === null) return null;
  const icon = maybe(value, "author_icon", "string");
  const more = maybe(value, "author_subname", "string");
  return el(
    "div",
    { class: "k-attachment-author" },
    icon && pictureAt(icon, "", "k-context-image"),
    el("strong", {}, outsideLink(value.author_link, name)),
    more && el("span", { class: "k-muted" }, more),
  );
}

function field(entry, ctx) {
  const isShort = entry.short === true;
  const title = maybe(entry, "title", "string");
  return el(
    "div",
    { class: isShort ? "k-field-short" : "k-field-long" },
    title && el("strong", {}, plain(title)),
    el("div", { class: "k-text" }, mrkdwn(need(entry, "value", "string"), ctx)),
  );
}

function footer(value, ctx) {
  const icon = maybe(value, "footer_icon", "string");
  const stamp = Number(value.ts ?? NaN);
  const time = isMoment(stamp) ? `${dayText(stamp, ctx.now())} at ${timeText(stamp)}` : null;
  const text = [maybe(value, "footer", "string"), time].filter(Boolean).join(" | ");
  if (!text) return null;
  return el(
    "div",
    { class: "k-attachment-footer" },
    icon && pictureAt(icon, "", "k-context-image"),
    plain(text),
  );
}

function unknownFields(value) {
  const known = [...SHOWN, ...SILENT];
  const rest = Object.entries(value).filter(([name]) => !known.includes(name));
  if (rest.length === 0) return null;
  return unknownBox(
    `Unknown attachment field: ${rest.map(([name]) => name).join(", ")}`,
    Object.fromEntries(rest),
  );
}

function colorOf(color) {
  if (color === null) return null;
  if (Object.hasOwn(COLORS, color)) return COLORS[color];
  return HEX_COLOR.test(color) ? `#${color.replace("#", "")}` : null;
}
