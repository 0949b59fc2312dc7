/** What the page knows: the agents of a session as nodes of a tree, and what the person has chosen in it. */

import { nextFrame } from "../shared/dom.js";

const MAX_TITLE = 120;
const ACTIVE = ["queued", "running", "waiting"];

/** Whether an agent is still at work or waits for something. */
export const isActive = (node) => ACTIVE.includes(node.status);

/**
 * Nodes by agent id. A node is replaced as a whole when anything of it changes, so a part that drew a
 * node draws it again only if it is another object. `onChange()` runs once a frame.
 */
export class Store {
  constructor(place, onChange) {
    this.place = `live.${place}`;
    const kept = JSON.parse(sessionStorage.getItem(this.place) ?? "{}");
    this.nodes = new Map();
    this.link = "connecting";
    this.session = null;
    this.canIntervene = false;
    this.selected = kept.selected ?? null;
    this.isFollowing = !this.selected;
    this.chosen = new Map(kept.expanded ?? []);
    this.onChange = onChange;
    this.isScheduled = false;
  }

  touch() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    nextFrame(() => {
      this.isScheduled = false;
      this.settle();
      this.onChange();
    });
  }

  /** Who may not see the session any more is left with nothing of it. */
  setLink(link) {
    this.link = link;
    if (link === "refused") {
      this.nodes.clear();
      this.families = null;
      this.canIntervene = false;
    }
    this.touch();
  }

  /** A whole state of an agent, as the server tells it. */
  setState(agentId, state) {
    const before = this.nodes.get(agentId);
    const node = nodeOf(agentId, state, before);
    this.nodes.set(agentId, node);
    if (!before || before.parentId !== node.parentId || before.createdAt !== node.createdAt) this.families = null;
    this.touch();
  }

  /** More text of an agent that is writing. */
  addText(agentId, delta, html) {
    this.change(agentId, ({ live }) => ({ live: live + delta, liveHtml: html }));
  }

  /** An agent asks a person. */
  ask(agentId, prompt, options) {
    const wait = { ...this.nodes.get(agentId)?.wait, kind: "question", prompt, options };
    this.change(agentId, () => ({ status: "waiting", wait }));
  }

  change(agentId, fields) {
    const node = this.nodes.get(agentId);
    if (!node) return;
    this.nodes.set(agentId, { ...node, ...fields(node) });
    this.touch();
  }

  /** The children of a node, the roots for null, in order of their beginning. */
  childrenOf(id) {
    if (!this.families) {
      const inOrder = [...this.nodes.values()].sort((one, other) => one.createdAt - other.createdAt);
      this.families = Map.groupBy(inOrder, ({ parentId }) => (this.nodes.has(parentId) ? parentId : null));
      for (const [parent, members] of this.families) this.families.set(parent, members.map((node) => node.id));
    }
    return (this.families.get(id) ?? []).map((child) => this.nodes.get(child));
  }

  select(id) {
    if (this.selected === id) return;
    this.selected = id;
    this.isFollowing = id === this.childrenOf(null).at(-1)?.id;
    this.keep();
    this.touch();
  }

  expand(id, isExpanded) {
    this.chosen.set(id, isExpanded);
    this.keep();
    this.touch();
  }

  keep() {
    const kept = { selected: this.isFollowing ? null : this.selected, expanded: [...this.chosen].slice(-500) };
    sessionStorage.setItem(this.place, JSON.stringify(kept));
  }

  /** Selection and expansion, put into the nodes; before anything is chosen the newest task leads. */
  settle() {
    const roots = this.childrenOf(null);
    const newest = roots.at(-1)?.id ?? null;
    if (!this.nodes.has(this.selected) && this.link === "live") this.isFollowing = true;
    if (this.isFollowing) this.selected = newest;
    for (const node of this.nodes.values()) {
      const isSelected = node.id === this.selected;
      const isRoot = !this.nodes.has(node.parentId);
      const isExpanded = this.chosen.get(node.id) ?? (!isRoot || node.id === newest || isActive(node));
      if (node.isSelected !== isSelected || node.isExpanded !== isExpanded) {
        this.nodes.set(node.id, { ...node, isSelected, isExpanded });
      }
    }
  }

  get selectedNode() {
    return this.nodes.get(this.selected) ?? null;
  }

  /** Agents whose question waits for an answer, the oldest first. */
  get asking() {
    return [...this.nodes.values()].filter((node) => node.wait?.kind === "question");
  }

  /** The files that an agent and those below it made, each once. */
  filesOf(node) {
    const below = this.childrenOf(node.id).flatMap((child) => this.filesOf(child));
    return [...new Map([...below, ...node.artifacts].map((file) => [file.path, file])).values()];
  }

  /** How many agents below a node are still at work. */
  countBelow(id) {
    return this.childrenOf(id).reduce((sum, node) => sum + Number(isActive(node)) + this.countBelow(node.id), 0);
  }

  count(status) {
    return [...this.nodes.values()].filter((node) => node.status === status).length;
  }
}

/** `AgentState` of the bot (agent_core/tree.py) as the page draws it. */
function nodeOf(id, { metadata, ...state }, before) {
  const { title, about, agent, tools, artifacts, interventions, steps, live, liveHtml, resultHtml, isFinalAnswer, finishedAt } = metadata;
  const order = state.userContent;
  // What an agent wrote for another one in several lines is not for people: its few words about it are.
  const isBrief = state.parentId && /\n/.test(order) && !interventions.some(({ kind }) => kind === "content");
  return {
    id,
    parentId: state.parentId,
    status: metadata.isQueued ? "queued" : state.status,
    title: firstLine(title || order),
    task: isBrief ? about || title : order,
    brief: isBrief ? order : "",
    comments: interventions,
    messages: state.messages.filter(({ content }) => content),
    result: state.result ?? "",
    wait: state.status === "waiting" ? metadata.wait : null,
    tokens: metadata.tokens.total,
    cost: metadata.costUsd,
    createdAt: state.createdAt,
    startedAt: metadata.startedAt ?? state.createdAt,
    isSelected: before?.isSelected ?? false,
    isExpanded: before?.isExpanded ?? true,
    agent, tools, artifacts, steps, live, liveHtml, resultHtml, isFinalAnswer, finishedAt,
  };
}

function firstLine(task) {
  const line = task.trim().split("\n")[0];
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}
