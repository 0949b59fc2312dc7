// Markdown's block structure: lines to a tree of plain objects. Pure.

import { readTable } from "./tables.js";

const MAX_DEPTH = 12;
const FENCE = /^( {0,3})(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:( {1,4})(?=\S)| +(?=\S)|\s*$)/;
const UNDERLINE = /^ {0,3}(=+|-+)\s*$/;
const CODE = /^ {4}/;

const isBlank = (line) => line.trim() === "";

/** The blocks of these lines, in order. */
export function readBlocks(lines, depth = 0) {
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const [block, next] = readBlock(lines, at, depth);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

function readBlock(lines, at, depth) {
  const line = lines[at];
  if (CODE.test(line)) return readIndented(lines, at);
  if (FENCE.test(line)) return readFence(lines, at);
  const heading = HEADING.exec(line);
  if (heading)
    return [{ kind: "heading", level: heading[1].length, text: heading[2] ?? "" }, at + 1];
  if (RULE.test(line)) return [{ kind: "rule" }, at + 1];
  if (depth < MAX_DEPTH && QUOTE.test(line)) return readQuote(lines, at, depth);
  if (depth < MAX_DEPTH && ITEM.test(line)) return readList(lines, at, depth);
  return readTable(lines, at) ?? readParagraph(lines, at, depth);
}

function readFence(lines, at) {
  const [, indent, marks, info] = FENCE.exec(lines[at]);
  const closing = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  const strip = new RegExp(`^ {0,${indent.length}}`);
  const body = lines.slice(at + 1, end).map((line) => line.replace(strip, ""));
  return [{ kind: "code", text: body.join("\n"), language: info.trim() }, end + 1];
}

function readIndented(lines, at) {
  let end = at;
  while (end < lines.length && (CODE.test(lines[end]) || isBlank(lines[end]))) end += 1;
  const body = lines.slice(at, end).map((line) => line.replace(CODE, ""));
  return [{ kind: "code", text: body.join("\n").trimEnd(), language: "" }, end];
}

/** Quoted lines, and the lines after them that go on with their paragraph. */
function readQuote(lines, at, depth) {
  let end = at;
  while (end < lines.length && (QUOTE.test(lines[end]) || goesOn(lines, end, at))) end += 1;
  const body = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return [{ kind: "quote", blocks: readBlocks(body, depth + 1) }, end];
}

function goesOn(lines, end, at) {
  return end > at && !isBlank(lines[end]) && !startsBlock(lines[end]) && QUOTE.test(lines[at]);
}

function startsBlock(line) {
  return [FENCE, HEADING, RULE, QUOTE, ITEM].some((pattern) => pattern.test(line));
}

function readList(lines, at, depth) {
  const [, , mark] = ITEM.exec(lines[at]);
  const isOrdered = /\d/.test(mark);
  const list = { kind: "list", isOrdered, start: isOrdered ? parseInt(mark, 10) : 1, items: [] };
  let next = at;
  let isLoose = false;
  while (next < lines.length && sameList(lines[next], mark)) {
    const item = readItem(lines, next, depth);
    list.items.push(item);
    isLoose ||= item.isLoose || (item.endsBlank && sameList(lines[item.next] ?? "", mark));
    next = item.next;
  }
  return [{ ...list, isLoose }, next];
}

function sameList(line, mark) {
  const found = RULE.test(line) ? null : ITEM.exec(line);
  return found !== null && found[2].replace(/\d+/, "") === mark.replace(/\d+/, "");
}

/** An item reaches as far as lines are indented to its text, or go on with its paragraph. */
function readItem(lines, at, depth) {
  const width = Math.min(ITEM.exec(lines[at])[0].length || 2, 8);
  const body = [lines[at].slice(width)];
  let end = at + 1;
  while (end < lines.length && belongs(lines, end, width)) {
    body.push(indentOf(lines[end]) >= width ? lines[end].slice(width) : lines[end].trimStart());
    end += 1;
  }
  const endsBlank = isBlank(body.at(-1)) && body.length > 1;
  while (body.length > 1 && isBlank(body.at(-1))) body.pop();
  const task = /^\[([ xX])\]\s+/.exec(body[0]);
  if (task) body[0] = body[0].slice(task[0].length);
  return {
    blocks: readBlocks(body, depth + 1),
    checked: task ? task[1] !== " " : null,
    isLoose: body.some(isBlank),
    endsBlank,
    next: end,
  };
}

function belongs(lines, at, width) {
  const line = lines[at];
  if (isBlank(line)) return indentOf(nextFilled(lines, at)) >= width || isItemNext(lines, at);
  if (indentOf(line) >= width) return true;
  return !isBlank(lines[at - 1]) && !startsBlock(line);
}

/** A blank line before the list's next item is the item's own, so that a list may be loose. */
function isItemNext(lines, at) {
  return !isBlank(lines[at - 1]) && ITEM.test(lines[at + 1] ?? "");
}

function nextFilled(lines, at) {
  return isBlank(lines[at + 1] ?? "x") ? "" : (lines[at + 1] ?? "");
}

function indentOf(line) {
  return line.length - line.trimStart().length;
}

function readParagraph(lines, at, depth) {
  let end = at + 1;
  while (end < lines.length && !isBlank(lines[end])) {
    const underline = UNDERLINE.exec(lines[end]);
    if (underline) {
      const text = lines.slice(at, end).join("\n");
      return [{ kind: "heading", level: underline[1][0] === "=" ? 1 : 2, text }, end + 1];
    }
    if (interrupts(lines, end, depth)) break;
    end += 1;
  }
  const body = lines.slice(at, end).map((line) => line.trimStart());
  return [{ kind: "paragraph", text: body.join("\n").trimEnd() }, end];
}

function interrupts(lines, at, depth) {
  const line = lines[at];
  if (FENCE.test(line) || HEADING.test(line) || RULE.test(line)) return true;
  if (depth >= MAX_DEPTH) return false;
  return QUOTE.test(line) || ITEM.test(line) || readTable(lines, at) !== null;
}
