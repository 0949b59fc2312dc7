// Streamed posts: their blocks as the stream has built them up, and the mark of a running one.

import { el } from "./dom.js";
import { isObject } from "./shapes.js";

const RUNNING = "in_progress";

/** The stream of a post, or null. */
export function streamOf(post) {
  return isObject(post.sandbox?.stream) ? post.sandbox.stream : null;
}

/**
 * The blocks of a stream whose post carries none: its parts in order, with task cards in their
 * places, or with one plan in the place of the first of them.
 */
export function streamBlocks({
  parts = [],
  tasks = [],
  plan_title: title,
  task_display_mode: mode,
}) {
  const cards = new Map(
    tasks.map((task) => [task.id, { type: "task_card", task_id: task.id, ...task }]),
  );
  const isProgress = (part) => part?.type === "task" || part?.type === "plan";
  const plan = { type: "plan", title: title || "Plan", tasks: [...cards.values()] };
  const first = parts.findIndex(isProgress);
  return parts.flatMap((part, at) => {
    if (!isProgress(part)) return [part];
    if (mode === "plan") return at === first ? [plan] : [];
    return part.type === "task" && cards.has(part.id) ? [cards.get(part.id)] : [];
  });
}

/** The mark below a post that is still being written, or null. */
export function writingMark(stream) {
  if (stream?.phase !== RUNNING) return null;
  const dots = [1, 2, 3].map(() => el("span", { class: "k-dot-mark" }));
  return el("div", { class: "k-writing", role: "img", "aria-label": "Still writing" }, dots);
}
