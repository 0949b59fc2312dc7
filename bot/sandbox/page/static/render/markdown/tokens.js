// Markdown text to tokens: words, runs of emphasis marks, and finished nodes such as links.

import { el, liveUrl, outsideLink } from "../dom.js";
import { emoji, emojiNode } from "../emoji.js";
import { reference } from "../text/references.js";
import { normalised } from "./definitions.js";

const MAX_DEPTH = 6;
const MAX_LABEL_CHARS = 1000;
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", "#39": "'" };
const SPECIAL = /[\\`*_~[!<:&\nh]/g;
const BARE_URL = /(?<![\p{L}\p{N}])https?:\/\/[^\s<>|`]*[^\s<>|`.,;:!?)\]}'"*_~]/uy;
const TARGET =
  /\(\s*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/y;
const LABEL_AFTER = /\[([^\[\]]*)\]/y;

/** Each reads what stands at the place, or says null: then the character is itself. */
const READERS = {
  "\\": escaped,
  "`": codeSpan,
  "*": marks,
  _: marks,
  "~": marks,
  "[": link,
  "!": image,
  "<": angle,
  ":": emojiName,
  "&": entity,
  "\n": (text, at) => lineBreak(at + 1),
  h: bareUrl,
};

/** The tokens of the text: `{text}`, `{node}` and `{marks, canOpen, canClose}`. */
export function tokenise(text, ctx, depth) {
  const tokens = [];
  const context = depth < MAX_DEPTH ? ctx : { ...ctx, inline: (inner) => inner };
  let from = 0;
  SPECIAL.lastIndex = 0;
  for (let match = SPECIAL.exec(text); match; match = SPECIAL.exec(text)) {
    const at = match.index;
    const token = READERS[match[0]](text, at, context);
    if (token === null) continue;
    const before = text.slice(from, at);
    tokens.push({ text: token.isBreak ? before.trimEnd() : before }, token);
    from = token.end;
    SPECIAL.lastIndex = from;
  }
  return [...tokens, { text: text.slice(from) }];
}

function escaped(text, at) {
  const next = text[at + 1];
  if (next === "\n") return lineBreak(at + 2);
  return next && /[!-/:-@[-`{-~]/.test(next) ? { text: next, end: at + 2 } : null;
}

function lineBreak(end) {
  return { node: el("br"), isBreak: true, end };
}

function codeSpan(text, at) {
  const ticks = /`+/y;
  ticks.lastIndex = at;
  const fence = ticks.exec(text)[0];
  const close = closingTicks(text, at + fence.length, fence.length);
  if (close < 0) return { text: fence, end: at + fence.length };
  const body = text.slice(at + fence.length, close).replaceAll("\n", " ");
  const isPadded = /^ .* $/.test(body) && body.trim() !== "";
  const code = el("code", { class: "k-code" }, isPadded ? body.slice(1, -1) : body);
  return { node: code, end: close + fence.length };
}

function closingTicks(text, from, count) {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let run = runs.exec(text); run; run = runs.exec(text)) {
    if (run[0].length === count) return run.index;
  }
  return -1;
}

/** A run of one mark, and whether it may open or close a span (CommonMark's flanking rules). */
function marks(text, at) {
  const mark = text[at];
  let end = at + 1;
  while (text[end] === mark) end += 1;
  const before = text[at - 1] ?? " ";
  const after = text[end] ?? " ";
  const left =
    !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before));
  const right =
    !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after));
  const isUnderscore = mark === "_";
  return {
    marks: text.slice(at, end),
    canOpen: left && (!isUnderscore || !right || isPunctuation(before)),
    canClose: right && (!isUnderscore || !left || isPunctuation(after)),
    end,
  };
}

const isSpace = (character) => /\s/.test(character);
const isPunctuation = (character) => /[\p{P}\p{S}]/u.test(character);

function link(text, at, ctx) {
  const close = ctx.inLink ? -1 : closingBracket(text, at);
  if (close < 0) return null;
  const label = text.slice(at + 1, close);
  const target = targetAfter(text, close + 1, label, ctx);
  if (target === null) return null;
  const shown = label === "" ? target.address : ctx.inline(label);
  return { node: outsideLink(target.address, shown), end: target.end };
}

/** Images become links with their alternative text, as in Slack. */
function image(text, at, ctx) {
  if (ctx.inLink || text[at + 1] !== "[") return null;
  const close = closingBracket(text, at + 1);
  const label = text.slice(at + 2, Math.max(close, at + 2));
  const target = close < 0 ? null : targetAfter(text, close + 1, label, ctx);
  return target && { node: outsideLink(target.address, label || target.address), end: target.end };
}

function targetAfter(text, at, label, ctx) {
  TARGET.lastIndex = at;
  const direct = TARGET.exec(text);
  if (direct) {
    const address = (direct[1] ?? direct[2]).replace(/\\(.)/g, "$1");
    return liveUrl(address) && { address, end: at + direct[0].length };
  }
  LABEL_AFTER.lastIndex = at;
  const named = LABEL_AFTER.exec(text);
  const address = ctx.definitions?.get(normalised(named?.[1] || label));
  return address ? { address, end: at + (named?.[0].length ?? 0) } : null;
}

function closingBracket(text, open) {
  let nested = 0;
  const end = Math.min(text.length, open + MAX_LABEL_CHARS);
  for (let at = open; at < end; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "[") nested += 1;
    else if (text[at] === "]" && --nested === 0) return at;
  }
  return -1;
}

/** `<https://…>` and Slack's references; any other tag is text. */
function angle(text, at, ctx) {
  if (ctx.inLink) return null;
  const match = /<([^<>\n]{1,3000})>/y;
  match.lastIndex = at;
  const found = match.exec(text);
  const node = found && reference(found[1], ctx);
  return node ? { node, end: at + found[0].length } : null;
}

function emojiName(text, at) {
  const match = /:([a-z0-9_+'-]+(?:::skin-tone-[2-6])?):/y;
  match.lastIndex = at;
  const found = match.exec(text);
  if (found === null || emoji(found[1]) === found[0]) return null;
  return { node: emojiNode(found[1]), end: at + found[0].length };
}

function entity(text, at) {
  const found = /^&(amp|lt|gt|quot|apos|nbsp|#39);/.exec(text.slice(at, at + 7));
  return found && { text: ENTITIES[found[1]], end: at + found[0].length };
}

function bareUrl(text, at, ctx) {
  if (ctx.inLink) return null;
  BARE_URL.lastIndex = at;
  const found = BARE_URL.exec(text);
  return found && { node: outsideLink(found[0], found[0]), end: at + found[0].length };
}
