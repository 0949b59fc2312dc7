/** What a person writes into: comments, tasks, and the answer to a question. */

import { freshId, grow, h } from "../shared/dom.js";
import { button } from "../shared/icons.js";
import { say, timeLabel } from "./words.js";

const drafts = new Map();

/**
 * A text area with a button; Enter sends, Shift+Enter breaks the line. `run(text)` resolves to
 * whether it was done; what is written at a `place` lasts until then.
 */
export function composer({ label, submit, run, place = null, text = "", rows = 1 }) {
  const area = h("textarea", { class: "field", rows, "aria-label": label, placeholder: label });
  const send = h("button", { type: "submit", class: "button is-small is-primary", text: submit });
  const node = h("form", { class: "composer" }, area, send);
  let isSending = false;
  area.value = drafts.get(place) ?? text;
  area.addEventListener("input", () => {
    if (place) drafts.set(place, area.value);
    grow(area);
  });
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    node.requestSubmit();
  });
  node.addEventListener("submit", async (event) => {
    event.preventDefault();
    const written = area.value.trim();
    if (!written || send.disabled || isSending) return;
    isSending = true;
    const isDone = await run(written);
    isSending = false;
    if (!isDone || area.value.trim() !== written) return;
    area.value = "";
    drafts.delete(place);
    grow(area);
  });
  return { node, area, enable: (isEnabled) => (send.disabled = !isEnabled) };
}

/** A question of an agent with its options as buttons, and room for an answer in own words. */
export class Question {
  constructor(id, { prompt, options, default: taken, deadline }, answer) {
    const titleId = freshId("question");
    this.answer = answer;
    this.options = options.map((option) => button(option, () => this.give(option), ""));
    this.own = composer({ label: say("answer-label"), submit: say("answer-send"), place: `answer/${id}`, run: (text) => this.give(text) });
    this.said = h("p", { class: "muted", role: "status", text: "" });
    this.node = h("div", { class: "question", role: "group", "aria-labelledby": titleId },
      h("h2", { text: say("question") }),
      h("p", { id: titleId, class: "question-text", text: prompt }),
      taken && deadline ? h("p", { class: "muted", text: say("question-default", { answer: taken, at: timeLabel(deadline) }) }) : null,
      options.length ? h("div", { class: "options" }, this.options) : null, this.own.node, this.said);
  }

  async give(text) {
    const isDone = await this.answer(text);
    if (isDone) this.said.textContent = say("answer-sent", { answer: text });
    return isDone;
  }

  enable(isEnabled) {
    for (const option of this.options) option.disabled = !isEnabled;
    this.own.enable(isEnabled);
  }
}
