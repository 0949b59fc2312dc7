// Text objects of Block Kit: plain text with emoji, or mrkdwn.

import { el, fragment, lines } from "../dom.js";
import { emoji, emojiNode } from "../emoji.js";
import { mrkdwn } from "../mrkdwn.js";
import { Malformed, need } from "../shapes.js";

const EMOJI = /:([a-z0-9_+'-]+(?:::skin-tone-[2-6])?):/g;

/** The text object in `holder[name]` as nodes. */
export function textOf(holder, name, ctx) {
  return textNode(need(holder, name, "object"), ctx);
}

/** As `textOf`, or null where there is none. */
export function maybeText(holder, name, ctx) {
  return holder[name] === undefined || holder[name] === null ? null : textOf(holder, name, ctx);
}

/** A text object as nodes; a bare string counts as plain text. */
export function textNode(text, ctx) {
  if (typeof text === "string") return plain(text, true);
  const content = need(text, "text", "string");
  if (text.type === "mrkdwn") {
    return mrkdwn(content, text.verbatim === true ? { ...ctx, isVerbatim: true } : ctx);
  }
  if (text.type === "plain_text") return plain(content, text.emoji !== false);
  throw new Malformed("a text is neither plain_text nor mrkdwn");
}

/** The words of a text object alone, for labels. */
export function wordsOf(text, ctx) {
  return textNode(text, ctx).textContent;
}

/** Plain text, its line breaks kept and its emoji shown. */
export function plain(text, withEmoji = true) {
  if (!withEmoji) return lines(text);
  const parts = text.split("\n").flatMap((line) => [el("br"), ...emojiIn(line)]);
  return fragment(parts.slice(1));
}

function emojiIn(line) {
  const nodes = [];
  let from = 0;
  for (const match of line.matchAll(EMOJI)) {
    if (emoji(match[1]) === match[0]) continue;
    nodes.push(line.slice(from, match.index), emojiNode(match[1]));
    from = match.index + match[0].length;
  }
  return [...nodes, line.slice(from)];
}
