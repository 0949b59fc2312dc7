// The progress of an agent: task cards, alone, as a timeline or under a plan.

import { el, outsideLink } from "../dom.js";
import { drawing } from "../icons.js";
import { keepOpenness } from "../openness.js";
import { richText } from "../rich_text.js";
import { choice, isObject, Malformed, maybe, need } from "../shapes.js";
import { textNode } from "../text/object.js";
import { renderKind, renderOnly } from "../unknown.js";

const STATUSES = {
  pending: { icon: "pending", words: "Waiting" },
  in_progress: { icon: null, words: "In progress" },
  complete: { icon: "success", words: "Done" },
  error: { icon: "error", words: "Failed" },
};
const NAMES = Object.keys(STATUSES);

/** The blocks in order, as `{block}`; each run of task cards is gathered into one `{tasks}`. */
export function timeline(list) {
  const entries = [];
  for (const block of list) {
    const isTask = isObject(block) && block.type === "task_card";
    const run = entries.at(-1)?.tasks;
    if (!isTask) entries.push({ block });
    else if (run) run.push(block);
    else entries.push({ tasks: [block] });
  }
  return entries;
}

/** One task: its state and title, and what there is to say about it, folded away. */
export function taskCard(block, ctx) {
  const id = need(block, "task_id", "string");
  const status = choice(block, "status", NAMES);
  const head = [
    statusIcon(status),
    el("span", { class: "k-task-title" }, textNode(need(block, "title", "string"), ctx)),
  ];
  const more = detailsOf(block, ctx);
  const attributes = { class: `k-task k-task-${status}` };
  if (more.length === 0) return el("div", attributes, el("div", { class: "k-task-head" }, head));
  const turn = el("span", { class: "k-turn" }, drawing("down"));
  const summary = el("summary", { class: "k-task-head" }, head, turn);
  const details = el("details", attributes, summary, el("div", { class: "k-task-more" }, more));
  return keepOpenness(details, `${ctx.scope ?? ""}/task/${id}`);
}

function statusIcon(status) {
  const { icon, words } = STATUSES[status];
  return el(
    "span",
    { class: "k-status", role: "img", "aria-label": words, title: words },
    drawing(icon),
  );
}

function detailsOf(block, ctx) {
  const sources = maybe(block, "sources", "list") ?? [];
  return [
    richOrPlain(block.details, "k-task-details", ctx),
    richOrPlain(block.output, "k-task-output", ctx),
    sources.length
      ? el("ul", { class: "k-sources", "aria-label": "Sources" }, sources.map(source))
      : null,
  ].filter(Boolean);
}

function richOrPlain(value, className, ctx) {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value !== "string" && !isObject(value))
    throw new Malformed("a task's text is no rich text");
  return el(
    "div",
    { class: className },
    typeof value === "string" ? textNode(value, ctx) : richText(value, ctx),
  );
}

function source(value) {
  const link = () => {
    const url = need(value, "url", "string");
    return outsideLink(url, maybe(value, "text", "string") || url);
  };
  return el("li", {}, renderKind("source", { url: link }, value));
}

/** A plan: its title, and its tasks in order. */
export function plan(block, ctx) {
  const title = block.title;
  if (typeof title !== "string" && !isObject(title)) throw new Malformed("title is missing");
  const tasks = maybe(block, "tasks", "list") ?? [];
  const done = tasks.filter((task) => task?.status === "complete").length;
  const summary = el(
    "summary",
    { class: "k-plan-head" },
    el("span", { class: "k-plan-title" }, textNode(title, ctx)),
    tasks.length
      ? el("span", { class: "k-muted k-plan-count" }, `${done} of ${tasks.length}`)
      : null,
    el("span", { class: "k-turn" }, drawing("down")),
  );
  const items = tasks.map((task) =>
    el("li", {}, renderOnly("task", "task_card", taskCard, task, ctx)),
  );
  const list = el("ol", { class: "k-timeline" }, items);
  const details = el("details", { class: "k-plan", open: true }, summary, list);
  return keepOpenness(details, `${ctx.scope ?? ""}/plan/${block.block_id ?? ""}`);
}
