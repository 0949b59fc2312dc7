// The inline part of mrkdwn: emphasis at word borders, code, references, emoji, bare addresses.

import { el, fragment, outsideLink } from "../dom.js";
import { emoji, emojiNode } from "../emoji.js";
import { reference } from "./references.js";

const TAGS = { "*": "strong", _: "em", "~": "s" };
const WORD = /[\p{L}\p{N}]/u;
const ATOM = new RegExp(
  [
    "`([^`\\n]+)`",
    "<([^<>\\n]+)>",
    ":((?:[a-z0-9_+'-]+)(?:::skin-tone-[2-6])?):",
    "((?<![\\p{L}\\p{N}])https?://[^\\s<>|`]*[^\\s<>|`.,;:!?)\\]}'\"*_~])",
  ].join("|"),
  "yu",
);
const STARTS = /[`<:h*_~]/g;

/** Undo Slack's escaping of `&`, `<` and `>`. */
export function unescape(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** One line of mrkdwn as nodes. */
export function inline(line, ctx) {
  return fragment(parse(line, 0, line.length, "", ctx));
}

/** Code, in which only addresses and names are read, and shown without any style of their own. */
export function codeText(text, ctx) {
  return text.split(/(<[^<>\n]+>)/).map((part) => {
    const node = /^<.+>$/.test(part) ? reference(part.slice(1, -1), ctx, unescape) : null;
    if (node === null) return unescape(part);
    return node.classList?.contains("k-link") ? node : node.textContent;
  });
}

/** The nodes of `line[start:end]`; `open` holds the marks that are already around it. */
function parse(line, start, end, open, ctx) {
  const nodes = [];
  const spent = new Set(open);
  let plainFrom = start;
  let at = nextStart(line, start);
  while (at < end) {
    const found = spanAt(line, at, end, spent, open, ctx) ?? atomAt(line, at, end, ctx);
    if (found) {
      nodes.push(unescape(line.slice(plainFrom, at)), found.node);
      plainFrom = found.end;
    }
    at = nextStart(line, found ? found.end : at + 1);
  }
  nodes.push(unescape(line.slice(plainFrom, end)));
  return nodes;
}

function nextStart(line, from) {
  STARTS.lastIndex = from;
  return STARTS.exec(line)?.index ?? Infinity;
}

function atomAt(line, at, end, ctx) {
  ATOM.lastIndex = at;
  const match = ATOM.exec(line);
  if (match === null || ATOM.lastIndex > end) return null;
  const node = atomNode(match, ctx);
  return node && { node, end: at + match[0].length };
}

function atomNode([, code, inner, name, url], ctx) {
  if (code !== undefined) return el("code", { class: "k-code" }, codeText(code, ctx));
  if (inner !== undefined) return reference(inner, ctx, unescape);
  if (url !== undefined) return ctx.isVerbatim ? null : outsideLink(unescape(url), unescape(url));
  return emoji(name) === `:${name}:` ? null : emojiNode(name);
}

/** An emphasised span that begins here. A mark without an end is remembered as spent. */
function spanAt(line, at, end, spent, open, ctx) {
  const mark = line[at];
  if (!(mark in TAGS) || spent.has(mark) || !opens(line, at)) return null;
  const close = closing(line, at, end);
  if (close < 0) {
    spent.add(mark);
    return null;
  }
  const inner = parse(line, at + 1, close, open + mark, ctx);
  return { node: el(TAGS[mark], {}, inner), end: close + 1 };
}

function opens(line, at) {
  const before = line[at - 1] ?? " ";
  const after = line[at + 1] ?? " ";
  return !isWord(line, at - 1) && before !== line[at] && after !== line[at] && !/\s/.test(after);
}

function closing(line, open, end) {
  const mark = line[open];
  for (let at = open + 2; at < end; at += 1) {
    if (line[at] === "`" || line[at] === "<") at = skipAtom(line, at, end);
    else if (line[at] === mark && closes(line, at)) return at;
  }
  return -1;
}

function closes(line, at) {
  const before = line[at - 1];
  return (
    !/\s/.test(before) && before !== line[at] && line[at + 1] !== line[at] && !isWord(line, at + 1)
  );
}

/** The last character of the code or reference that begins here, or `at` when there is none. */
function skipAtom(line, at, end) {
  ATOM.lastIndex = at;
  return ATOM.test(line) && ATOM.lastIndex <= end ? ATOM.lastIndex - 1 : at;
}

/** Whether a letter or digit stands there; half of a surrogate pair counts with its other half. */
function isWord(line, at) {
  if (at < 0 || at >= line.length) return false;
  const isLow = /[\uDC00-\uDFFF]/.test(line[at]);
  return WORD.test(String.fromCodePoint(line.codePointAt(isLow ? at - 1 : at)));
}
