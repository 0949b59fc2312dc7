/** The tree of agents: a row each, nested in groups, moved through with the arrow keys. */

import { h, redraw, setAttribute, setText, show } from "../shared/dom.js";
import { icon } from "../shared/icons.js";
import { KeyedList } from "../shared/keyed.js";
import { lineOf } from "./html.js";
import { isActive } from "./store.js";
import { durationLabel, say, timeLabel } from "./words.js";

const ICONS = { queued: "pending", running: null, waiting: "warning", completed: "success", failed: "error", stopped: "stop" };

/** The state of an agent as a mark and a word: never by colour alone. */
export function statusMark(status) {
  const name = ICONS[status];
  return h("span", { class: `mark is-${status}` }, name ? icon(name) : h("span", { class: "spinner" }), h("span", { text: say(`status-${status}`) }));
}

/** How long an agent has been at work, in seconds. */
export function elapsedS(node) {
  if (node.status === "queued" || (!node.finishedAt && !isActive(node))) return NaN;
  return Math.max(0, ((node.finishedAt ?? Date.now()) - node.startedAt) / 1000);
}

export class Tree {
  constructor(app) {
    this.app = app;
    this.items = new Map();
    this.node = h("ul", { class: "tree", role: "tree", "aria-label": say("tree"), on: { keydown: (event) => this.steer(event), click: (event) => this.press(event) } });
    this.list = new KeyedList(this.node, (row) => this.item(row));
  }

  update() {
    this.list.update(this.rows(null, 1));
    const { order } = this;
    const stop = order.find((id) => id === this.app.store.selected) ?? order[0];
    for (const [id, { li }] of this.items) setAttribute(li, "tabindex", id === stop ? "0" : "-1");
  }

  rows(parent, level) {
    return this.app.store.childrenOf(parent).map((node) => ({ key: node.id, node, level, children: this.rows(node.id, level + 1) }));
  }

  item(row) {
    const item = new TreeItem(row, (below) => this.item(below));
    this.items.set(row.key, item);
    return item;
  }

  /** The shown rows' ids, from the top down. */
  get order() {
    const below = (parent) => this.app.store.childrenOf(parent).flatMap((node) => [node.id, ...(node.isExpanded ? below(node.id) : [])]);
    return below(null);
  }

  press(event) {
    const id = event.target.closest("[role=treeitem]")?.dataset.id;
    if (!id) return;
    if (event.target.closest(".fold")) this.app.store.expand(id, !this.app.store.nodes.get(id).isExpanded);
    else this.app.open(id);
  }

  steer(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { store } = this.app;
    const id = event.target.closest("[role=treeitem]")?.dataset.id;
    const node = store.nodes.get(id);
    if (!node) return;
    const order = this.order;
    const at = order.indexOf(id);
    const children = store.childrenOf(id);
    const isOpen = children.length > 0 && node.isExpanded;
    const moves = {
      ArrowDown: () => this.focus(order[at + 1]),
      ArrowUp: () => this.focus(order[at - 1]),
      Home: () => this.focus(order[0]),
      End: () => this.focus(order.at(-1)),
      ArrowRight: () => (isOpen ? this.focus(children[0].id) : children.length && store.expand(id, true)),
      ArrowLeft: () => (isOpen ? store.expand(id, false) : this.focus(node.parentId)),
      Enter: () => this.app.open(id, { isEntered: true }),
      " ": () => this.app.open(id),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  }

  /** Moving through the tree selects, as pressing does; only on a phone the agent is not opened. */
  focus(id = this.app.store.selected) {
    const item = this.items.get(id);
    if (!item) return;
    this.app.store.select(id);
    item.li.focus();
    item.row.scrollIntoView({ block: "nearest" });
  }
}

/** One agent with the group of those below it. */
class TreeItem {
  constructor(row, create) {
    this.fold = h("span", { class: "fold" }, icon("fold"));
    this.mark = h("span", { class: "row-mark" });
    this.title = h("span", { class: "row-title" });
    this.badge = h("span", { class: "badge is-final", text: say("final-answer"), hidden: true });
    this.facts = h("span", { class: "row-facts" });
    this.activity = h("span", { class: "row-activity truncate" });
    this.row = h("div", { class: "row" }, this.fold,
      h("div", { class: "row-words" },
        h("div", { class: "row-head" }, this.title, this.badge),
        h("div", { class: "row-foot" }, this.mark, this.activity, this.facts)));
    this.group = h("ul", { role: "group" });
    this.li = this.node = h("li", { role: "treeitem", dataset: { id: row.key }, tabindex: "-1" }, this.row, this.group);
    this.list = new KeyedList(this.group, create);
    this.update(row);
  }

  update({ node, level, children }) {
    const isParent = children.length > 0;
    setAttribute(this.li, "aria-expanded", isParent ? String(node.isExpanded) : null);
    setAttribute(this.li, "aria-level", level);
    show(this.fold, isParent);
    show(this.group, isParent && node.isExpanded);
    this.list.update(children);
    if (node !== this.drawn) this.draw(node);
    else if (isActive(node)) this.drawFacts(node);
  }

  draw(node) {
    this.drawn = node;
    setAttribute(this.li, "aria-selected", String(node.isSelected));
    setAttribute(this.row, "class", `row is-${node.status}${node.isFinalAnswer ? " is-final" : ""}`);
    setText(this.title, node.title || say("untitled"));
    setAttribute(this.title, "title", node.title);
    redraw(this.mark, node.status, () => statusMark(node.status));
    show(this.badge, node.isFinalAnswer);
    setText(this.activity, activity(node));
    setAttribute(this.li, "aria-label", [this.title.textContent, say(`status-${node.status}`), node.isFinalAnswer && say("final-answer")].filter(Boolean).join(", "));
    this.drawFacts(node);
  }

  drawFacts(node) {
    setText(this.facts, durationLabel(elapsedS(node)));
    setAttribute(this.facts, "title", timeLabel(node.createdAt));
  }
}

/** What an agent does at the moment, or what came of it, in one line of whole words. */
function activity(node) {
  if (node.wait) return waitWords(node.wait);
  if (!isActive(node)) return lineOf(node.resultHtml);
  const tool = node.tools.findLast(({ state }) => state === "running");
  if (tool) return tool.words;
  return lineOf(node.live ? node.liveHtml : node.messages.findLast(({ role }) => role === "assistant")?.html, { isGrowing: true });
}

/** What is waited for. Approvals and connections are given in the thread. */
export function waitWords({ kind, prompt = "", tools = [], toolkits = [] }) {
  return kind === "question" ? prompt : say(`wait-${kind}`, { what: [...tools, ...toolkits].map(plainName).join(", ") });
}

/** A tool's or an app's own name as people write it: "Gmail send email". */
function plainName(name) {
  const words = name.replace(/^mcp__\w+?__/, "").toLowerCase().replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a call was given, as names and values; no names where it is not whole. */
export function givenTo({ arguments: given }) {
  try {
    return Object.entries(JSON.parse(given)).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
  } catch {
    return [["", given ?? ""]];
  }
}
