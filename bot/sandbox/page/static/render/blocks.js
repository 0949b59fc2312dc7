// Blocks by their type.

import { actions, context, contextActions, divider, header, section } from "./blocks/basic.js";
import { card, carousel } from "./blocks/cards.js";
import { dataVisualization } from "./blocks/chart.js";
import { authProvider, container } from "./blocks/container.js";
import { dataTable } from "./blocks/data_table.js";
import { input } from "./blocks/input.js";
import { alert, call, file, image, video } from "./blocks/media.js";
import { table } from "./blocks/table.js";
import { plan, taskCard, timeline } from "./blocks/tasks.js";
import { el } from "./dom.js";
import { markdown } from "./markdown.js";
import { richText } from "./rich_text.js";
import { need } from "./shapes.js";
import { renderKind, unknownBox } from "./unknown.js";

const BLOCKS = {
  section,
  header,
  divider,
  context,
  actions,
  image,
  input,
  rich_text: richText,
  video,
  file,
  call,
  markdown: (block, ctx) =>
    el("div", { class: "k-markdown" }, markdown(need(block, "text", "string"), ctx)),
  context_actions: contextActions,
  table,
  data_table: dataTable,
  data_visualization: dataVisualization,
  task_card: taskCard,
  plan,
  alert,
  card,
  carousel,
  container: (block, ctx) => container(block, ctx, blocks),
  auth_provider: authProvider,
};

/** The blocks as one element. What is unknown or malformed is shown as JSON; never throws. */
export function blocks(list, ctx) {
  const root = el("div", { class: "k-blocks" });
  if (!Array.isArray(list)) {
    root.append(unknownBox("Malformed blocks", list));
    return root;
  }
  root.append(...timeline(list).map((entry) => entryNode(entry, ctx)));
  return root;
}

/** A block, or a run of task cards as one list. */
function entryNode({ block, tasks }, ctx) {
  if (!tasks) return blockNode(block, ctx);
  const cards = tasks.map((task) => el("li", {}, blockNode(task, ctx)));
  return el("ol", { class: "k-timeline", "aria-label": "Progress" }, cards);
}

function blockNode(block, ctx) {
  const node = renderKind("block", BLOCKS, block, ctx);
  if (typeof block?.block_id === "string" && node.dataset) node.dataset.blockId ??= block.block_id;
  return node;
}
