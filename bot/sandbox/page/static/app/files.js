/** Files that wait to be sent: dropped, pasted or picked, as chips that can be taken away. */

import { sizeText } from "../render/numbers.js";
import { h, show } from "./dom.js";
import { icon } from "./icons.js";

export class FileChips {
  constructor(change) {
    this.change = change;
    this.node = h("ul", { class: "file-chips", "aria-label": "Files to send", hidden: true });
  }

  update(files) {
    this.node.replaceChildren(...files.map((file) => this.chip(file, files)));
    show(this.node, files.length > 0);
  }

  chip(file, files) {
    const remove = h("button", {
      type: "button", class: "icon-button", "aria-label": `Remove ${file.name}`,
      on: { click: () => this.change(files.filter((other) => other !== file)) },
    }, icon("close"));
    return h("li", { class: "file-chip" }, icon("file"),
      h("span", { class: "file-name", text: file.name }),
      h("span", { class: "file-size", text: sizeText(file.size) }), remove);
  }
}

/** Files dropped anywhere on the pane of `node` go to `take(files)`. */
export function acceptFiles(node, take) {
  requestAnimationFrame(() => {
    const pane = node.closest(".pane");
    if (pane) listen(pane, take);
  });
}

function listen(pane, take) {
  let depth = 0;
  const mark = (step) => {
    depth = Math.max(0, depth + step);
    pane.classList.toggle("is-dropping", depth > 0);
  };
  const isFiles = (event) => event.dataTransfer?.types.includes("Files");
  pane.addEventListener("dragenter", (event) => isFiles(event) && mark(1));
  pane.addEventListener("dragleave", (event) => isFiles(event) && mark(-1));
  pane.addEventListener("dragover", (event) => isFiles(event) && event.preventDefault());
  pane.addEventListener("drop", (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    mark(-depth);
    take([...event.dataTransfer.files]);
  });
}
