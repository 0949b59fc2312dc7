// The files of a post: images as pictures, reports and texts to open, all others to download.

import { el, liveUrl, outsideLink, ownUrl } from "./dom.js";
import { pictureAt } from "./elements/picture.js";
import { drawing } from "./icons.js";
import { sizeText } from "./numbers.js";
import { isObject, maybe } from "./shapes.js";
import { unknownBox } from "./unknown.js";

const MAX_TEXT_BYTES = 1_000_000;
const TEXT = /^(text\/|application\/(json|xml|x-yaml|yaml|javascript|x-ndjson)\b)/;
const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;

/** Whether the file is a text that is short enough to be read on the page. */
export const isReadable = ({ mimetype, size }) =>
  TEXT.test(mimetype ?? "") && (size ?? 0) <= MAX_TEXT_BYTES;

/** The files as a list. */
export function fileList(files, ctx) {
  return el(
    "ul",
    { class: "k-files", "aria-label": "Files" },
    files.map((file) => el("li", {}, fileNode(file, ctx))),
  );
}

function fileNode(file, ctx) {
  if (!isObject(file)) return unknownBox("Malformed file", file);
  if (file.mode === "tombstone")
    return el("div", { class: "k-small-card k-muted" }, "This file was deleted.");
  try {
    return known(file, ctx);
  } catch {
    return unknownBox("Malformed file", file);
  }
}

function known(file, ctx) {
  const name = maybe(file, "title", "string") || maybe(file, "name", "string") || file.id || "File";
  if (IMAGE.test(file.mimetype) && ownUrl(file.url_private))
    return thumbnail(file, String(name), ctx);
  const isReport = file.mimetype === "text/html" || file.filetype === "html";
  const opens = isReport || (isReadable(file) && ownUrl(file.url_private));
  return card(file, String(name), opens ? openButton(file, String(name), ctx) : null);
}

function thumbnail(file, name, ctx) {
  const description = maybe(file, "alt_txt", "string") || name;
  const opener = el(
    "button",
    { type: "button", class: "k-thumbnail", "aria-label": `Open ${name}` },
    pictureAt(file.url_private, description, "k-file-image"),
  );
  opener.addEventListener("click", () => ctx.openFile(file));
  return el(
    "figure",
    { class: "k-image" },
    el("figcaption", { class: "k-image-title" }, name),
    opener,
  );
}

function card(file, name, opener) {
  return el(
    "div",
    { class: opener ? "k-small-card k-report" : "k-small-card" },
    el("span", { class: "k-small-icon" }, drawing("file")),
    el(
      "span",
      { class: "k-small-words" },
      el("strong", { class: "k-file-name" }, name),
      el("span", { class: "k-muted" }, aboutText(file)),
    ),
    opener,
    downloadLink(file, name),
  );
}

function aboutText(file) {
  const kind =
    maybe(file, "pretty_type", "string") || maybe(file, "filetype", "string")?.toUpperCase();
  const size = maybe(file, "size", "number");
  return [kind, size === null ? null : sizeText(size)].filter(Boolean).join(" · ");
}

function openButton(file, name, ctx) {
  const self = el(
    "button",
    { type: "button", class: "k-button k-primary", "aria-label": `Open ${name}` },
    "Open",
  );
  self.addEventListener("click", () => ctx.openFile(file));
  return self;
}

/** Files of the page are downloaded; one that lives elsewhere is a link to there. */
function downloadLink(file, name) {
  const own = ownUrl(file.url_private);
  const attributes = {
    class: "k-icon-button",
    "aria-label": `Download ${name}`,
    title: "Download",
  };
  if (own === null) {
    const label = {
      ...attributes,
      "aria-label": `Open ${name} elsewhere`,
      title: "Open elsewhere",
    };
    return liveUrl(file.url_private) && outsideLink(file.url_private, drawing("open"), label);
  }
  const url = new URL(own);
  url.searchParams.set("download", "1");
  return el(
    "a",
    { ...attributes, href: url.pathname + url.search, download: file.name ?? name },
    drawing("download"),
  );
}
