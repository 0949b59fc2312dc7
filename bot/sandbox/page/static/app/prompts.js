/** The prompts that the bot suggests in its direct channel: one press sends one. */

import { h } from "./dom.js";

/** The nodes of the bar: a title and a button a prompt. */
export function promptBar({ channel, title, prompts }, app) {
  const buttons = prompts.map(({ title: label, message }) =>
    h("button", {
      type: "button", class: "prompt", title: message, text: label,
      on: { click: () => app.attempt("say", { channel, text: message }) },
    }),
  );
  const heading = title ? [h("span", { class: "prompts-title", text: title })] : [];
  return [...heading, ...buttons];
}
