// Markdown inside a line: a list of tokens, then emphasis paired over them, then nodes.

import { el, fragment } from "../dom.js";
import { pairEmphasis } from "./emphasis.js";
import { tokenise } from "./tokens.js";

const TAGS = { strong: "strong", em: "em", strike: "s" };

/** One run of Markdown text as nodes; line breaks in it are kept. */
export function inline(text, ctx, depth = 0) {
  const label = (inner) => inline(inner, { ...ctx, inLink: true }, depth + 1);
  const tokens = tokenise(text, { ...ctx, inline: label }, depth);
  return fragment(assemble(pairEmphasis(tokens)));
}

/** The nodes of the tokens; a span's tokens stand between its opening and its closing. */
function assemble(tokens) {
  const stack = [{ children: [] }];
  for (const token of tokens) {
    const top = stack.at(-1);
    if (token.opens) stack.push({ tag: TAGS[token.opens], children: [] });
    else if (token.closes) {
      stack.pop();
      stack.at(-1).children.push(el(top.tag, {}, top.children));
    } else top.children.push(token.node ?? token.text);
  }
  return stack[0].children;
}
