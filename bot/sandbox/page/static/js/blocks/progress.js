/** The progress of an agent: task cards under a plan. */

import { h, outsideLink } from "../../shared/dom.js";
import { icon } from "../../shared/icons.js";
import { texts } from "../markup.js";

const MAX_REMEMBERED = 500;
const STATUSES = {
  pending: ["pending", "Not done"],
  in_progress: [null, "In progress"],
  complete: ["success", "Done"],
  error: ["error", "Failed"],
};

const foldedOpen = new Map();

/** One task: its state and title, and what there is to say about it, folded away. */
function taskCard({ task_id: id, title, status = "pending", details, output, sources = [] }, ctx) {
  const [iconName, words] = STATUSES[status];
  const mark = h("span", { class: "status", "aria-hidden": "true" }, iconName ? icon(iconName) : null);
  const head = [mark, h("span", { class: "task-title", text: title }), h("span", { class: "task-state muted", text: words })];
  const more = [said(details, "muted"), said(output, ""), sourceList(sources)].filter(Boolean);
  const look = `task is-${status}`;
  if (more.length === 0) return h("div", { class: look }, h("div", { class: "task-head" }, head));
  return folding(`${ctx.scope}/task/${id}`, look, [...head, icon("fold")], h("div", { class: "task-more" }, more), status === "error");
}

/** Rich text of a block. */
function said(value, look) {
  return value ? texts(value.html, look) : null;
}

function sourceList(sources) {
  if (sources.length === 0) return null;
  return h("ul", { class: "sources", "aria-label": "Sources" },
    sources.map(({ url, text }) => h("li", {}, outsideLink(url, text || url))));
}

/** A plan: its title and its tasks in order. */
export function plan({ block_id: id = "", title, tasks = [] }, ctx) {
  const list = h("ol", { class: "timeline" }, tasks.map((task) => h("li", {}, taskCard(task, ctx))));
  return folding(`${ctx.scope}/plan/${id}`, "plan", [h("strong", { text: title }), icon("fold")], list, true);
}

/** What a person has folded open stays open when the post is drawn anew, as a stream is all the time. */
function folding(key, look, head, body, isOpen = false) {
  const summary = h("summary", { class: "task-head" }, head);
  const details = h("details", { class: look, open: foldedOpen.get(key) ?? isOpen }, summary, body);
  summary.addEventListener("click", () => {
    foldedOpen.delete(key);
    foldedOpen.set(key, !details.open);
    if (foldedOpen.size > MAX_REMEMBERED) foldedOpen.delete(foldedOpen.keys().next().value);
  });
  return details;
}
