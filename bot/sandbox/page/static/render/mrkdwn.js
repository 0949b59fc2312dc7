// Slack's own markup, mrkdwn: code blocks, quotes and lines; what stands in a line is `inline.js`.

import { el, fragment } from "./dom.js";
import { codeText, inline } from "./text/inline.js";

const FENCE = /```([\s\S]+?)```/;
const QUOTE = /^(?:&gt;|>) ?/;
const LONG_QUOTE = /^(?:&gt;|>){3} ?/;

/** Text in mrkdwn as it came over the wire (`&lt;` escaped, `<@U1>` references) as nodes. */
export function mrkdwn(text, ctx) {
  const parts = String(text).split(FENCE);
  const nodes = parts.map((part, index) =>
    index % 2 ? codeBlock(part, ctx) : flow(trimmed(part, index, parts.length), ctx),
  );
  return fragment(nodes.flat());
}

/** The line breaks that touch a code block belong to it: no empty line is shown for them. */
function trimmed(part, index, count) {
  const start = index > 0 ? part.replace(/^[ ]*\n/, "") : part;
  return index < count - 1 ? start.replace(/\n$/, "") : start;
}

function codeBlock(text, ctx) {
  const body = text.replace(/^\n/, "").replace(/\n$/, "");
  return el("pre", { class: "k-pre", tabindex: "0" }, el("code", {}, codeText(body, ctx)));
}

/** Runs of quoted and of plain lines. */
function flow(text, ctx) {
  if (text === "") return [];
  return runs(text.split("\n")).map(({ quoted, lines }) => {
    const nodes = lines.flatMap((line) => [el("br"), inline(line, ctx)]).slice(1);
    return quoted ? el("blockquote", { class: "k-quote" }, nodes) : fragment(nodes);
  });
}

function runs(lines) {
  const found = [];
  let isRest = false;
  for (const line of lines) {
    const begins = !isRest && LONG_QUOTE.test(line);
    const quoted = isRest || begins || QUOTE.test(line);
    const body = isRest ? line : line.replace(begins ? LONG_QUOTE : QUOTE, "");
    isRest ||= begins;
    const last = found.at(-1);
    if (last?.quoted === quoted) last.lines.push(body);
    else found.push({ quoted, lines: [body] });
  }
  return found;
}
