/** The toolbar of a post: react, reply, and a menu with the rest. */

import { confirm } from "./confirm.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { openEmojiPicker } from "./picker.js";
import { openMenu } from "./popup.js";
import { isEphemeral, rootTs } from "./posts.js";
import { react } from "./reactions.js";
import { toTyped } from "./wire.js";

/** `rowOf()` gives the row as it is when a button is pressed. */
export function postToolbar(rowOf, app) {
  const buttons = [
    button("Add reaction", "smileAdd", (self) => openEmojiPicker(self, (name) => react(app, rowOf(), name))),
    rowOf().place === "channel"
      ? button("Reply in thread", "reply", () => app.places.openThread(rootTs(rowOf().post)))
      : null,
    button("More actions", "more", (self) =>
      openMenu(self, entries(rowOf(), app), { label: "More actions", iconOf: icon })),
  ];
  const kept = isEphemeral(rowOf().post) ? buttons.slice(2) : buttons;
  return h("div", { class: "post-actions", role: "group", "aria-label": "Message actions" }, ...kept);
}

function button(label, iconName, run) {
  const self = h("button", {
    type: "button", class: "icon-button", "aria-label": label, title: label,
    on: { click: () => run(self) },
  }, icon(iconName));
  return self;
}

function entries(row, app) {
  const { post } = row;
  const isMine = post.user === app.store.me && !isEphemeral(post);
  return [
    ...(isMine ? [{ label: "Edit message", icon: "edit", run: () => app.edit(row) }] : []),
    { label: "Copy text", icon: "copy", run: () => copy(app, toTyped(post.text ?? "", app.store), "Text") },
    { label: "Copy link", icon: "link", run: () => copy(app, linkTo(row), "Link") },
    ...messageShortcuts(row, app),
    ...(isMine ? [{ label: "Delete message", icon: "trash", isDanger: true, run: () => remove(row, app) }] : []),
  ];
}

function messageShortcuts({ channel, post }, app) {
  const shortcuts = app.store.world.shortcuts.filter(({ type }) => type === "message");
  return shortcuts.map(({ name, description, callback_id }) => ({
    label: name,
    hint: description,
    icon: "bolt",
    run: () => app.attempt("message_shortcut", { channel, ts: post.ts, callback_id }),
  }));
}

function linkTo({ channel, post }) {
  return `${location.origin}/#${channel}/${rootTs(post)}`;
}

async function copy(app, text, what) {
  try {
    await navigator.clipboard.writeText(text);
    app.toasts.tell(`${what} copied.`);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    app.toasts.fail("The browser does not let this page copy.");
  }
}

async function remove({ channel, post }, app) {
  const question = "Delete this message? This cannot be undone.";
  if (await confirm("Delete message", question, "Delete")) {
    await app.attempt("delete", { channel, ts: post.ts });
  }
}
