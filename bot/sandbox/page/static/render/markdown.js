// Standard Markdown as markdown blocks and streams carry it. HTML in it stays text.

import { fragment } from "./dom.js";
import { readBlocks } from "./markdown/blocks.js";
import { definitionsIn } from "./markdown/definitions.js";
import { renderBlocks } from "./markdown/nodes.js";

/** The text as nodes. Never throws; what is no Markdown is shown as it stands. */
export function markdown(text, ctx) {
  const lines = String(text).replace(/\r\n?/g, "\n").replaceAll("\t", "    ").split("\n");
  const { definitions, rest } = definitionsIn(lines);
  return fragment(renderBlocks(readBlocks(rest), { ...ctx, definitions }));
}
