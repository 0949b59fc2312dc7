// Images. One that cannot be loaded is told of by its description and its address.

import { el, liveUrl, outsideLink, ownUrl } from "../dom.js";
import { drawing } from "../icons.js";
import { isObject, Malformed, maybe, need } from "../shapes.js";

/** The image of an image element or block, or what stands in for it. */
export function picture(node, className) {
  const description = need(node, "alt_text", "string");
  return pictureAt(sourceOf(node), description, className);
}

/** The image at the address. */
export function pictureAt(address, description, className) {
  const source = ownUrl(address) ?? secure(address);
  if (source === null) return standIn(address, description, className);
  const image = el("img", {
    class: className,
    src: source,
    alt: description,
    title: description || null,
    loading: "lazy",
    referrerpolicy: "no-referrer",
  });
  image.addEventListener("error", () =>
    image.replaceWith(standIn(address, description, className)),
  );
  return image;
}

function sourceOf(node) {
  const address = maybe(node, "image_url", "string");
  if (address !== null) return address;
  if (!isObject(node.slack_file)) throw new Malformed("image_url is missing");
  return maybe(node.slack_file, "url", "string") ?? need(node.slack_file, "id", "string");
}

function secure(address) {
  const url = liveUrl(address);
  return url?.startsWith("https:") ? url : null;
}

function standIn(address, description, className) {
  const words = description || "Image";
  return el(
    "span",
    { class: `k-no-image ${className}-missing`, title: words },
    drawing("image"),
    el("span", {}, outsideLink(address, words)),
  );
}
