/** The files that agents made: reports in a frame that may do nothing, pictures, downloads. */

import { freshId, h, sizeLabel } from "../shared/dom.js";
import { icon, iconButton } from "../shared/icons.js";
import { openDialog } from "../shared/popup.js";
import { say } from "./words.js";

/** A card that opens a report or a picture over the page, and downloads all else. */
export function fileCard(app, file) {
  const { path, title, mimetype = "", sizeBytes = 0 } = file;
  const address = `/artifacts/${encodeURIComponent(app.store.session)}/${path.split("/").map(encodeURIComponent).join("/")}`;
  const fileName = path.split("/").at(-1);
  const name = title || fileName;
  const kind = mimetype === "text/html" ? say("page-file") : fileName.split(".").at(-1).toUpperCase();
  const words = [h("span", { class: "file-name truncate", text: name }), h("span", { class: "muted truncate", text: [kind, sizeLabel(sizeBytes)].join(" · ") })];
  const content = [h("span", { class: "file-icon" }, icon("file")), h("span", { class: "file-words" }, words)];
  const isShown = mimetype === "text/html" || mimetype.startsWith("image/");
  if (!isShown) return h("a", { class: "card file-card", href: address, download: "" }, content, icon("download"));
  return h("button", { type: "button", class: "card file-card", on: { click: () => showFile({ address, name, mimetype }) } }, content, icon("open"));
}

/** Over the page, in the browser's own modal dialog: Escape closes it, the focus goes back. */
function showFile({ address, name, mimetype }) {
  const id = freshId("file");
  const shown = mimetype === "text/html"
    ? h("iframe", { class: "file-frame", sandbox: "", referrerpolicy: "no-referrer", src: address, title: name })
    : h("div", { class: "file-picture" }, h("img", { src: address, alt: name }));
  const dialog = h("dialog", { class: "file-dialog", "aria-labelledby": id },
    h("header", { class: "file-head" },
      h("h2", { id, class: "truncate", text: name }),
      h("a", { class: "icon-button", href: address, download: "", "aria-label": say("download"), title: say("download") }, icon("download")),
      iconButton(say("close"), "close", () => dialog.close())),
    shown);
  openDialog(dialog);
}
