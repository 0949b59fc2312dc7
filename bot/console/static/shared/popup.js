/** What lies above the page: one small panel beside a control, menus, questions, toasts. */

import { freshId, h, stepOf, tabStops } from "./dom.js";
import { icon, iconButton } from "./icons.js";

const GAP_PX = 6;
const EDGE_PX = 8;
const TOAST_MS = 10_000;
const MAX_TOASTS = 3;

let current = null;

/** Opens `content` beside `anchor`; Esc or a press outside end it and return the focus. */
export function openPopup(anchor, content, { label, role = "dialog" }) {
  closePopup();
  const panel = h("div", { class: "popup", role, "aria-label": label, tabindex: "-1" }, content);
  (anchor.closest("dialog") ?? document.body).append(panel);
  anchor.setAttribute("aria-expanded", "true");
  current = { panel, anchor, opener: document.activeElement };
  place(panel, anchor);
  document.addEventListener("pointerdown", closeOutside, true);
  (tabStops(panel)[0] ?? panel).focus();
}

/** Returns whether one was open. */
export function closePopup() {
  if (!current) return false;
  const { panel, anchor, opener } = current;
  current = null;
  const hadFocus = panel.contains(document.activeElement);
  panel.remove();
  anchor.removeAttribute("aria-expanded");
  document.removeEventListener("pointerdown", closeOutside, true);
  if (hadFocus) (opener?.isConnected ? opener : anchor).focus();
  return true;
}

function closeOutside(event) {
  if (!current.panel.contains(event.target) && !current.anchor.contains(event.target)) closePopup();
}

function place(panel, anchor) {
  const at = anchor.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const left = at.left < innerWidth / 2 ? at.left : at.right - width;
  const fitsAbove = at.top - height - GAP_PX >= EDGE_PX;
  const top = fitsAbove ? at.top - height - GAP_PX : Math.min(at.bottom + GAP_PX, innerHeight - height - EDGE_PX);
  panel.style.left = `${Math.max(EDGE_PX, Math.min(left, innerWidth - width - EDGE_PX))}px`;
  panel.style.top = `${Math.max(EDGE_PX, top)}px`;
}

/** A menu of `{label, icon, run, isDanger}`; arrows move through it. */
export function openMenu(anchor, entries, label) {
  const items = entries.map(menuItem);
  const menu = h("div", { class: "menu" }, items);
  menu.addEventListener("keydown", (event) => {
    const step = stepOf(event);
    if (!step) return;
    event.preventDefault();
    items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
  });
  openPopup(anchor, menu, { label, role: "menu" });
}

function menuItem({ label, icon: iconName, run, isDanger }) {
  const click = () => {
    closePopup();
    run();
  };
  return h("button", { type: "button", role: "menuitem", class: isDanger ? "menu-item is-danger" : "menu-item", on: { click } },
    iconName ? icon(iconName) : null, h("span", { text: label }));
}

/** Opens a modal dialog, and takes it away once it is closed. Resolves to what it was closed with; the focus is back. */
export function openDialog(dialog) {
  const opener = document.activeElement;
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      opener?.focus?.();
      resolve(dialog.returnValue);
    });
  });
}

/** Asks with two answers, in the browser's own modal dialog. Resolves to whether the person agreed. */
export async function confirm({ title, question, agree, deny = "Cancel", isDanger = true }) {
  const id = freshId("confirm");
  const answer = (value, words, look) => h("button", { type: "submit", value, class: `button ${look}`, text: words });
  const dialog = h("dialog", { class: "modal is-small", role: "alertdialog", "aria-labelledby": id },
    h("form", { method: "dialog" },
      h("div", { class: "modal-head" }, h("h2", { id, text: title })),
      h("p", { class: "modal-body" }, question),
      h("div", { class: "modal-foot" }, answer("no", deny, ""), answer("yes", agree, isDanger ? "is-danger" : "is-primary"))));
  return (await openDialog(dialog)) === "yes";
}

const stack = h("div", { class: "toasts" });

/** Says a short sentence in a corner; a failure interrupts a screen reader. */
export function toast(sentence, { isFailure = false } = {}) {
  surfaceToasts();
  const close = iconButton("Dismiss", "close", () => node.remove());
  const node = h("div", { class: isFailure ? "toast is-failure" : "toast", role: isFailure ? "alert" : "status" },
    icon(isFailure ? "warning" : "check"), h("p", { text: sentence }), close);
  setTimeout(() => node.remove(), TOAST_MS);
  stack.append(node);
  while (stack.children.length > MAX_TOASTS) stack.firstElementChild.remove();
}

/** Beneath an open modal nothing can be seen or read, so the toasts move into it. */
export function surfaceToasts() {
  const host = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  if (stack.parentElement !== host) host.append(stack);
}
