/** Markdown as DOM nodes: a subset, made by hand, in which nothing becomes markup that is not listed here. */

import { h, liveUrl } from "../shared/dom.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+-]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.+?)\s*#*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const DIVIDER = /^\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?\|?\s*$/;
const MAX_DEPTH = 12;

/** Marks with their node, tried in order at a place of the text; bounded, so that no text takes long. */
const SPANS = [
  [/`([^`\n]{1,2000})`/y, (match) => h("code", { text: match[1] })],
  [/!?\[([^\]\n]{0,1000})\]\(\s*<?([^\s<>()]{1,2000}(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+"[^"\n]*")?\s*\)/y, (match, depth, isLive) => link(match[2], match[1], isLive)],
  [/<(https?:\/\/[^\s<>]+)>/y, (match, depth, isLive) => link(match[1], match[1], isLive)],
  [/https?:\/\/[^\s<>"'`|]{0,2000}[^\s<>"'`|.,;:!?)\]}*_~]/y, (match, depth, isLive) => link(match[0], match[0], isLive)],
  [/\*\*(?=\S)([^\n]{0,2000}?[^\s*])\*\*/y, (match, depth, isLive) => h("strong", {}, inline(match[1], isLive, depth))],
  [/__(?=\S)([^\n]{0,2000}?[^\s_])__/y, (match, depth, isLive) => h("strong", {}, inline(match[1], isLive, depth))],
  [/~~(?=\S)([^\n]{0,2000}?[^\s~])~~/y, (match, depth, isLive) => h("s", {}, inline(match[1], isLive, depth))],
  [/\*(?=[^\s*])([^*\n]{0,2000}[^\s*])\*/y, (match, depth, isLive) => h("em", {}, inline(match[1], isLive, depth))],
  [/(?<!\w)_(?=[^\s_])([^_\n]{0,2000}[^\s_])_(?!\w)/y, (match, depth, isLive) => h("em", {}, inline(match[1], isLive, depth))],
  [/\\([!-/:-@[-`{-~])/y, (match) => match[1]],
];
const MAY_BEGIN = /[`![<h*_~\\]/g;

/**
 * Keeps an element in step with a text that grows: blocks that stay the same keep their nodes, so a
 * selection lasts and a long answer costs no more than its last paragraph.
 */
export class MarkdownView {
  constructor(look = "text") {
    this.node = h("div", { class: `${look} markdown` });
    this.sources = [];
  }

  /** `links` tells which addresses may be live: `isLive(address)`, and a `mark` that differs where that does. */
  update(text, links) {
    if (text === this.text && links.mark === this.mark) return;
    if (links.mark !== this.mark) this.sources = [];
    this.text = text;
    this.mark = links.mark;
    const sources = blocksOf(text);
    const same = sources.findIndex((source, at) => source !== this.sources[at]);
    const kept = same < 0 ? sources.length : same;
    while (this.node.childNodes.length > kept) this.node.lastChild.remove();
    this.node.append(...sources.slice(kept).map((source) => block(source, links.isLive)));
    this.sources = sources;
  }
}

/** The text cut at blank lines, but for those within fenced code and between the items of a list. */
function blocksOf(text) {
  const blocks = [];
  let current = [];
  let fence = null;
  const end = () => {
    if (current.length) blocks.push(current.join("\n"));
    current = [];
  };
  for (const line of text.replace(/\r\n?/g, "\n").split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence) {
      current.push(line);
      if (mark && mark[0] === fence[0] && mark.length >= fence.length) (fence = null), end();
    } else if (mark) {
      end();
      fence = mark;
      current.push(line);
    } else if (!line.trim()) {
      if (current.length && !ITEM.test(current[0])) end();
      else if (current.length) current.push("");
    } else {
      const isOther = HEADING.test(line) || RULE.test(line) || (current.at(-1) === "" && !/^\s/.test(line) && !ITEM.test(line));
      if (isOther || (current.length === 1 && (HEADING.test(current[0]) || RULE.test(current[0])))) end();
      current.push(line);
    }
  }
  end();
  return blocks;
}

function block(source, isLive, depth = 0) {
  const lines = source.split("\n");
  const fence = FENCE.exec(lines[0]);
  if (fence) return code(lines, fence[1]);
  if (RULE.test(lines[0])) return h("hr");
  const heading = HEADING.exec(lines[0]);
  if (heading) return h("h4", { class: `is-level-${heading[1].length}` }, inline(heading[2], isLive));
  if (depth < MAX_DEPTH && lines.every((line) => QUOTE.test(line))) return quote(lines, isLive, depth);
  if (depth < MAX_DEPTH && ITEM.test(lines[0])) return list(lines, isLive, depth);
  if (lines.length > 1 && lines[0].includes("|") && DIVIDER.test(lines[1])) return table(lines, isLive);
  const start = depth < MAX_DEPTH ? lines.findIndex((line, at) => at > 0 && (ITEM.test(line) || QUOTE.test(line))) : -1;
  if (start < 0) return h("p", {}, paragraph(lines, isLive));
  const rest = lines.slice(start).join("\n");
  return h("div", {}, h("p", {}, paragraph(lines.slice(0, start), isLive)), block(rest, isLive, depth + 1));
}

function paragraph(lines, isLive) {
  return lines.flatMap((line, at) => [at ? h("br") : "", ...inline(line.trim(), isLive)]);
}

function code(lines, mark) {
  const isClosed = lines.length > 1 && lines.at(-1).trim().startsWith(mark);
  const inside = lines.slice(1, isClosed ? -1 : undefined).join("\n");
  return h("pre", { tabindex: "0" }, h("code", { text: inside }));
}

function quote(lines, isLive, depth) {
  const inside = lines.map((line) => QUOTE.exec(line)[1]).join("\n");
  return h("blockquote", {}, blocksOf(inside).map((source) => block(source, isLive, depth + 1)));
}

/** Items at the first one's indentation; what is indented more belongs to the item above. */
function list(lines, isLive, depth) {
  const [, indent, mark] = ITEM.exec(lines[0]);
  const items = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item && item[1].length <= indent.length + 1) items.push([item[3]]);
    else items.at(-1).push(line);
  }
  const isOrdered = /\d/.test(mark);
  const start = isOrdered && parseInt(mark, 10) !== 1 ? parseInt(mark, 10) : null;
  return h(isOrdered ? "ol" : "ul", { start }, items.map(([first, ...rest]) => listItem(first, rest, isLive, depth)));
}

function listItem(first, rest, isLive, depth) {
  const indents = rest.filter((line) => line.trim()).map((line) => /^\s*/.exec(line)[0].length);
  const cut = indents.length ? Math.min(...indents) : 0;
  const below = blocksOf(rest.map((line) => line.slice(cut)).join("\n"));
  return h("li", {}, inline(first, isLive), below.map((source) => block(source, isLive, depth + 1)));
}

function table(lines, isLive) {
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());
  const ways = cells(lines[1]).map((cell) => (/^:.*:$/.test(cell) ? "align-center" : /:$/.test(cell) ? "align-right" : null));
  const row = (line, tag) => h("tr", {}, cells(line).map((cell, at) => h(tag, { class: ways[at] }, inline(cell, isLive))));
  return h("div", { class: "table-frame" },
    h("table", {}, h("thead", {}, row(lines[0], "th")), h("tbody", {}, lines.slice(2).map((line) => row(line, "td")))));
}

/** A line's nodes. What looks like HTML, or like a mark that does not end, stays the text it is. */
function inline(text, isLive, depth = 0) {
  if (depth > MAX_DEPTH) return [text];
  const nodes = [];
  let plain = 0;
  MAY_BEGIN.lastIndex = 0;
  for (let next = MAY_BEGIN.exec(text); next; next = MAY_BEGIN.exec(text)) {
    for (const [pattern, make] of SPANS) {
      pattern.lastIndex = next.index;
      const match = pattern.exec(text);
      if (!match) continue;
      nodes.push(text.slice(plain, next.index), make(match, depth + 1, isLive));
      plain = next.index + match[0].length;
      MAY_BEGIN.lastIndex = plain;
      break;
    }
  }
  return [...nodes, text.slice(plain)];
}

/** A link that says where it leads: words that hide another address are followed by its host. */
function link(address, words, isLive) {
  const href = liveUrl(address);
  if (href === null || !isLive(href)) return words === address ? words : `${words} (${address})`;
  const { host } = new URL(href);
  const shown = words.trim() || address;
  const isOpen = !host || shown.includes(host);
  return h("a", { href, rel: "noopener noreferrer", target: "_blank", title: href }, shown,
    isOpen ? null : h("span", { class: "link-host", text: ` (${host})` }));
}
