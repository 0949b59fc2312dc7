/** Very long posts are shown in part, with "Show more". */

import { h } from "./dom.js";

const FOLDED_FROM_CHARS = 6000;

/** The body, cut in height if the post is long; `unfolded` is the set of posts already opened. */
export function fold(body, post, unfolded) {
  if (sizeOf(post) < FOLDED_FROM_CHARS) return body;
  const clip = h("div", { class: "fold" }, body);
  const button = h("button", { type: "button", class: "fold-button" });
  const settle = () => {
    const isOpen = unfolded.has(post.ts);
    clip.classList.toggle("is-folded", !isOpen);
    button.textContent = isOpen ? "Show less" : "Show more";
    button.setAttribute("aria-expanded", String(isOpen));
  };
  button.addEventListener("click", () => {
    if (!unfolded.delete(post.ts)) unfolded.add(post.ts);
    settle();
  });
  clip.addEventListener("focusin", () => {
    unfolded.add(post.ts);
    settle();
  });
  settle();
  return [clip, button];
}

function sizeOf(post) {
  const texts = (post.attachments ?? []).map((attachment) => (attachment.text ?? "").length);
  return Math.max((post.text ?? "").length, ...texts);
}
