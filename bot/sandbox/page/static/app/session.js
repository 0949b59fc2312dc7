/** What the agent is doing in a thread, in one line, with a button that stops it if it listens. */

import { h } from "./dom.js";
import { botMark, icon } from "./icons.js";
import { userName } from "./names.js";

const ROTATE_MS = 3000;

/** The line while a session is being worked on, else null. */
export function sessionLine(session, app) {
  if (session.status !== "processing") return null;
  const name = userName(app.store.user(app.store.bot.user_id), app.store.bot.name);
  const words = h("span", { class: "session-words" }, h("strong", { text: name }), ` ${wordsOf(session)}`);
  const mark = h("span", { class: "avatar avatar-s is-bot is-busy", "aria-hidden": "true" }, botMark());
  return h("div", { class: "session-line" }, mark, words, loading(session),
    ...(app.store.bot.can_be_stopped ? [stopButton(session, app)] : []));
}

function stopButton({ channel, thread_ts }, app) {
  return h("button", {
    type: "button",
    class: "stop-button",
    on: { click: () => app.attempt("stop", { channel, thread_ts }) },
  }, icon("stop"), "Stop");
}

function wordsOf(session) {
  return session.status_text || "is working…";
}

/** Slack shows the loading messages one after the other. */
function loading({ loading_messages: messages = [] }) {
  if (messages.length === 0) return null;
  const line = h("span", { class: "session-loading", text: messages[0] });
  let index = 0;
  const timer = setInterval(() => {
    if (!line.isConnected) return clearInterval(timer);
    index = (index + 1) % messages.length;
    line.textContent = messages[index];
  }, ROTATE_MS);
  return line;
}
