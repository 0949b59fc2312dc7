// Images, videos, files from elsewhere, calls and alerts.

import { el, freshId, outsideLink } from "../dom.js";
import { picture, pictureAt } from "../elements/picture.js";
import { drawing } from "../icons.js";
import { choice, isObject, maybe, need } from "../shapes.js";
import { maybeText, textOf } from "../text/object.js";

const LEVELS = ["default", "info", "warning", "error", "success"];

export function image(block, ctx) {
  const title = maybeText(block, "title", ctx);
  return el(
    "figure",
    { class: "k-image" },
    title && el("figcaption", { class: "k-image-title" }, title),
    picture(block, "k-image-large"),
  );
}

/** A video is a picture that leads to it: nothing from elsewhere plays inside the page. */
export function video(block, ctx) {
  const title = textOf(block, "title", ctx);
  const address = maybe(block, "title_url", "string") ?? need(block, "video_url", "string");
  const thumbnail = pictureAt(
    need(block, "thumbnail_url", "string"),
    need(block, "alt_text", "string"),
    "k-image-large",
  );
  const description = maybeText(block, "description", ctx);
  const origin = [maybe(block, "provider_name", "string"), maybe(block, "author_name", "string")];
  return el(
    "figure",
    { class: "k-video" },
    el(
      "figcaption",
      {},
      el("strong", {}, outsideLink(address, title)),
      caption(origin.filter(Boolean).join(" · ")),
    ),
    description && el("div", { class: "k-text" }, description),
    el(
      "div",
      { class: "k-video-frame" },
      thumbnail,
      el("span", { class: "k-play" }, drawing("play")),
    ),
  );
}

function caption(words) {
  return words ? el("span", { class: "k-muted" }, words) : null;
}

/** A file that lives elsewhere. Slack shows what it knows of it; here that is its id. */
export function file(block) {
  const id = need(block, "external_id", "string");
  return small("file", "Remote file", id);
}

/** A call in the old style. */
export function call(block) {
  const details = isObject(block.call?.v1) ? block.call.v1 : {};
  const name = typeof details.name === "string" ? details.name : "Call";
  const link = outsideLink(details.join_url, "Join");
  return small("link", name, details.join_url ? link : String(block.call_id ?? ""));
}

function small(icon, title, note) {
  return el(
    "div",
    { class: "k-small-card" },
    el("span", { class: "k-small-icon" }, drawing(icon)),
    el(
      "span",
      { class: "k-small-words" },
      el("strong", {}, title),
      el("span", { class: "k-muted" }, note),
    ),
  );
}

export function alert(block, ctx) {
  const level = choice(block, "level", LEVELS);
  const id = freshId("alert");
  return el(
    "div",
    { class: `k-alert k-alert-${level}`, role: "note", "aria-labelledby": id },
    drawing(level === "default" ? "info" : level),
    el("div", { class: "k-text", id }, textOf(block, "text", ctx)),
  );
}
