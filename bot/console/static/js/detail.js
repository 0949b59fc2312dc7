/** The selected agent in full: what it is after, asks, does, says and made, and how to step in. */

import { h, redraw, setAttribute, setText, show } from "../shared/dom.js";
import { button, icon, iconButton } from "../shared/icons.js";
import { KeyedList } from "../shared/keyed.js";
import { confirm, openDialog } from "../shared/popup.js";
import { fileCard } from "./files.js";
import { composer, Question } from "./forms.js";
import { HtmlView } from "./html.js";
import { isActive } from "./store.js";
import { elapsedS, givenTo, statusMark, waitWords } from "./tree.js";
import { durationLabel, fullLabel, say, shortNumber, timeLabel } from "./words.js";

const NEAR_END_PX = 80;
const TOOL_ICONS = { running: null, done: "success", failed: "error", unknown: "warning" };

export class Detail {
  constructor(app) {
    this.app = app;
    this.empty = h("div", { class: "empty" }, icon("people"), h("h2", { text: say("empty-title") }), h("p", { text: say("empty-text") }));
    this.frame = h("div", { class: "detail-frame" });
    this.node = h("main", { class: "pane pane-detail", "aria-label": say("detail") }, this.empty, this.frame);
  }

  update() {
    const node = this.app.store.selectedNode;
    show(this.empty, !node && this.app.store.link === "live");
    redraw(this.frame, node?.id ?? "", () => {
      this.agent = node ? new AgentView(this.app, node) : null;
      return this.agent ? [this.agent.head, this.agent.body, this.agent.foot] : [];
    });
    if (node) this.agent.update(node);
  }

  enter() {
    this.agent?.title.focus();
  }
}

class AgentView {
  constructor(app, node) {
    const { id } = node;
    this.app = app;
    this.id = id;
    this.buildHead();
    this.buildBody(node);
    this.comment = composer({ label: say("comment-label"), submit: say("comment-send"), place: `comment/${id}`, run: (text) => this.intervene({ userComment: text }, "comment-sent") });
    this.foot = h("footer", { class: "pane-foot" }, this.comment.node);
  }

  buildHead() {
    this.title = h("h1", { class: "head-title", tabindex: "-1" });
    this.mark = h("span", { class: "head-mark" });
    this.badge = h("span", { class: "badge is-final", text: say("final-answer"), hidden: true });
    this.facts = h("span", { class: "head-facts" });
    this.actions = h("div", { class: "actions", role: "group", "aria-label": say("actions") });
    this.head = h("header", { class: "detail-head" },
      h("div", { class: "head-line" }, iconButton(say("back"), "back", () => this.app.close(), "back-button"), this.title),
      h("div", { class: "head-line" }, this.mark, this.badge, this.facts),
      this.actions);
  }

  buildBody(node) {
    this.question = h("section", { class: "section is-question", "aria-label": say("question"), hidden: true });
    this.taskText = h("p", { class: "task-text" });
    this.briefText = h("p", { class: "task-text" });
    this.brief = h("details", { class: "details" }, h("summary", { class: "muted", text: say("details") }), this.briefText);
    this.task = h("section", { class: "section", "aria-label": say("task") }, heading("task"), this.taskText, this.brief);
    this.comments = section("comments");
    this.tools = h("ol", { class: "tools" });
    this.toolList = new KeyedList(this.tools, toolItem);
    this.toolCount = h("span", { class: "muted" });
    this.toolSection = h("details", { class: "section", open: isActive(node) }, h("summary", { class: "section-head" }, icon("fold"), h("h2", { text: say("tools") }), this.toolCount), this.tools);
    this.story = h("div", { class: "story" });
    this.storyList = new KeyedList(this.story, storyItem);
    this.files = section("files");
    this.more = h("p", { class: "muted" });
    const details = h("details", { class: "section details" }, h("summary", { class: "section-head" }, icon("fold"), h("h2", { text: say("details") })), this.more);
    this.body = h("div", { class: "detail-body", tabindex: "0", role: "region", "aria-label": say("detail") },
      this.question, this.task, this.comments, this.toolSection, this.story, this.files, details);
  }

  update(node) {
    const { link, canIntervene } = this.app.store;
    const mayAct = canIntervene && link === "live";
    this.drawFiles(node);
    if (node === this.drawn && mayAct === this.mayAct) return this.drawFacts(node);
    const isAtEnd = this.drawn && this.body.scrollHeight - this.body.scrollTop - this.body.clientHeight < NEAR_END_PX;
    const wasActive = this.drawn && isActive(this.drawn);
    this.drawn = node;
    this.mayAct = mayAct;
    this.drawHead(node);
    this.drawBody(node);
    show(this.foot, canIntervene && isActive(node));
    this.comment.enable(mayAct);
    if (!isAtEnd) return;
    if (isActive(node)) this.body.scrollTop = this.body.scrollHeight;
    else if (wasActive) this.story.lastElementChild?.scrollIntoView(); // what came of it is read from its beginning
  }

  drawHead(node) {
    setText(this.title, node.title || say("untitled"));
    redraw(this.mark, node.status, () => statusMark(node.status));
    show(this.badge, node.isFinalAnswer);
    this.drawFacts(node);
    redraw(this.actions, `${node.status}/${this.app.store.canIntervene}/${this.mayAct}`, () => this.actionsOf(node));
  }

  drawFacts(node) {
    const facts = [durationLabel(elapsedS(node)), say("since", { at: timeLabel(node.createdAt) })];
    setText(this.facts, facts.filter(Boolean).join(" · "));
    setAttribute(this.facts, "title", fullLabel(node.createdAt));
    const more = [node.agent && say("kind", { name: node.agent }), say("steps", { n: node.steps }), say("tokens", { n: shortNumber(node.tokens) }), node.cost && say("cost", { n: node.cost.toFixed(3) })];
    setText(this.more, more.filter(Boolean).join(" · "));
  }

  actionsOf(node) {
    if (!this.app.store.canIntervene) return [];
    const acts = isActive(node)
      ? [["edit", () => this.edit(), ""], ["done", () => this.finish(), ""], ["stop", () => this.stop(node), "is-bad"]]
      : [["retry", () => this.intervene({ status: "running" }, "retry-sent"), ""]];
    return acts.map(([name, run, look]) => {
      const control = button(say(name), run, `is-small ${look}`);
      control.disabled = !this.mayAct;
      return control;
    });
  }

  drawBody(node) {
    redraw(this.question, JSON.stringify([node.wait, this.app.store.canIntervene]), () => this.questionOf(node));
    this.questionForm?.enable(this.mayAct);
    setText(this.taskText, node.task);
    setText(this.briefText, node.brief);
    show(this.brief, Boolean(node.brief));
    show(this.task, node.task.trim() !== node.title || Boolean(node.brief));
    redraw(this.comments, JSON.stringify(node.comments), () => node.comments.length ? [heading("comments"), ...node.comments.map(comment)] : []);
    this.toolList.update(node.tools.map((tool) => ({ key: tool.id, tool })));
    setText(this.toolCount, String(node.tools.length));
    show(this.toolSection, node.tools.length > 0);
    this.storyList.update(storyOf(node));
  }

  drawFiles(node) {
    const files = this.app.store.filesOf(node);
    redraw(this.files, JSON.stringify(files), () => (files.length ? [heading("files"), ...files.map((file) => fileCard(this.app, file))] : []));
  }

  questionOf({ id, wait }) {
    this.questionForm = null;
    if (!wait) return null;
    if (wait.kind !== "question" || !this.app.store.canIntervene) {
      return h("div", { class: "question" }, h("h2", { text: say("status-waiting") }), h("p", { class: "question-text", text: waitWords(wait) }));
    }
    this.questionForm = new Question(id, wait, (response) => this.app.send({ type: "user-response", agentId: id, response }));
    return this.questionForm.node;
  }

  intervene(fields, said) {
    return this.app.send({ type: "user-intervention", agentId: this.id, ...fields }, said && say(said));
  }

  /** The task in new words. */
  edit() {
    const { task } = this.drawn;
    const form = composer({ label: say("edit-label"), submit: say("save"), text: task, rows: 5, run: async (text) => {
      const isDone = text === task || (await this.intervene({ userContent: text }, "edit-sent"));
      if (isDone) dialog.close();
      return isDone;
    } });
    const close = iconButton(say("close"), "close", () => dialog.close());
    const dialog = h("dialog", { class: "modal", "aria-label": say("edit") },
      h("div", { class: "modal-head" }, h("h2", { text: say("edit") }), close), h("div", { class: "modal-body" }, form.node));
    openDialog(dialog);
    form.area.focus();
  }

  async finish() {
    const sure = await confirm({ title: say("done-title"), question: say("done-question"), agree: say("done"), deny: say("cancel"), isDanger: false });
    if (sure) this.intervene({ status: "completed" }, "done-sent");
  }

  async stop(node) {
    const below = this.app.store.countBelow(node.id);
    const question = below ? say("stop-question-below", { n: below }) : say("stop-question");
    const sure = await confirm({ title: say("stop-title"), question, agree: say("stop"), deny: say("cancel") });
    if (sure) this.intervene({ status: "stopped" }, "stop-sent");
  }
}

/** The messages in order, what is being written, and the result where no message is it. */
function storyOf({ messages, live, liveHtml, result, resultHtml, isFinalAnswer }) {
  const said = messages.filter(({ role, name }) => role === "assistant" || name); // a person's words have a name, the task has none
  const entries = said.map(({ role, content: text, html, name }, key) => ({ key, text, html, kind: role === "assistant" ? "said" : "told", name }));
  if (live) entries.push({ key: entries.length, text: live, html: liveHtml, kind: "live" });
  if (!result) return entries;
  const last = entries.at(-1);
  if (last?.text.trim() !== result.trim()) entries.push({ key: entries.length, text: result, html: resultHtml });
  entries.at(-1).kind = isFinalAnswer ? "final" : "result";
  return entries;
}

function storyItem(row) {
  const head = h("h2", { class: "story-head" });
  const view = new HtmlView();
  const node = h("article", {}, head, view.node);
  const update = ({ html, kind, name }) => {
    setAttribute(node, "class", `entry is-${kind}`);
    setText(head, name || say(`story-${kind}`));
    view.update(html);
  };
  update(row);
  return { node, update };
}

/** A tool call: its state as a mark and a word, what it is for, and how long it took. */
function toolItem(row) {
  const mark = h("span", { class: "tool-mark" });
  const name = h("span", { class: "tool-name" });
  const detail = h("span", { class: "tool-detail" });
  const took = h("span", { class: "tool-took" });
  const given = h("dl", { class: "given" });
  const more = h("details", { class: "details" }, h("summary", { class: "muted", text: say("details") }), given);
  const node = h("li", {}, h("div", { class: "tool-line" }, mark, h("span", { class: "tool-words" }, name, detail), took), more);
  const update = ({ tool }) => {
    const { state, durationMs } = tool;
    setAttribute(node, "class", `tool is-${state}`);
    redraw(mark, state, () => h("span", { role: "img", "aria-label": say(`tool-${state}`), title: say(`tool-${state}`) },
      TOOL_ICONS[state] ? icon(TOOL_ICONS[state]) : h("span", { class: "spinner" })));
    setText(name, tool.words);
    setText(detail, tool.display || tool.description);
    const values = givenTo(tool);
    redraw(given, tool.arguments, () => values.map(([label, value]) => h("div", {}, h("dt", { text: label }), h("dd", { text: value }))));
    show(more, values.length > 0);
    setText(took, state === "running" ? say("tool-running") : durationLabel(durationMs / 1000));
  };
  update(row);
  return { node, update };
}

/** What a person said or did, and whether the agent has read it. */
function comment({ kind, byName: by, text, taken }) {
  const head = h("span", { class: "comment-head" }, h("strong", { text: say(`did-${kind}`, { by }) }), taken ? h("span", { class: "muted", text: say("taken") }) : null);
  return h("div", { class: "comment" }, head, text ? h("p", { text }) : null);
}

function section(key) {
  return h("section", { class: "section", "aria-label": say(key), hidden: true });
}

function heading(key) {
  return h("div", { class: "section-head" }, h("h2", { text: say(key) }));
}
