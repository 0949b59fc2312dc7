/** The files of a post: images as pictures, reports and texts to open, all others to download. */

import { h, sizeLabel } from "../../shared/dom.js";
import { button, icon } from "../../shared/icons.js";

const MAX_TEXT_BYTES = 1_000_000;
const TEXT = /^(text\/|application\/(json|xml|x-yaml|yaml|javascript|x-ndjson)\b)/;
const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;

/** Whether the file is a text that is short enough to be read on the page. */
export function isReadable({ mimetype = "", size = 0 }) {
  return TEXT.test(mimetype) && size <= MAX_TEXT_BYTES;
}

/** The files as a list; `open(file)` shows one beside the thread. */
export function fileList(files, open) {
  return h("ul", { class: "files", "aria-label": "Files" }, files.map((file) => h("li", {}, fileNode(file, open))));
}

function fileNode(file, open) {
  if (file.mode === "tombstone") return h("div", { class: "card muted", text: "This file was deleted." });
  const name = file.title || file.name;
  if (IMAGE.test(file.mimetype)) return thumbnail(file, name, open);
  const opener = openerOf(file, open);
  opener?.setAttribute("aria-label", `Open ${name}`);
  return h("div", { class: "card file-card" },
    h("span", { class: "file-icon" }, icon("file")),
    h("span", { class: "file-words" },
      h("strong", { text: name }),
      h("span", { class: "muted", text: [file.filetype.toUpperCase(), sizeLabel(file.size ?? 0)].filter(Boolean).join(" · ") })),
    opener,
    h("a", {
      class: "icon-button", "aria-label": `Download ${name}`, title: "Download", href: `${file.url_private}?download=1`, download: file.name,
    }, icon("download")));
}

/** What is read is shown beside the thread; a PDF in a tab, where browsers have a reader of their own. */
function openerOf(file, open) {
  const look = "is-small is-primary";
  if (file.mimetype === "application/pdf") {
    return h("a", { class: `button ${look}`, href: file.url_private, target: "_blank", rel: "noopener" }, "Open");
  }
  return file.mimetype === "text/html" || isReadable(file) ? button("Open", () => open(file), look) : null;
}

function thumbnail(file, name, open) {
  return h("figure", {}, h("figcaption", { class: "muted", text: name }),
    h("button", { type: "button", class: "thumbnail", "aria-label": `Open ${name}`, on: { click: () => open(file) } },
      h("img", { class: "picture", src: file.url_private, alt: file.alt_txt || name, loading: "lazy" })));
}
