/** A small panel beside the control that opened it: pickers, menus, profiles. One is open at a time. */

import { h, tabStops } from "./dom.js";

const GAP_PX = 6;
const EDGE_PX = 8;

let current = null;

/** Opens `content` beside `anchor`; Esc, a press outside or `close()` end it and return the focus. */
export function openPopup(anchor, content, { label, role = "dialog", onClose = () => {} }) {
  closePopup();
  const panel = h("div", { class: "popup", role, "aria-label": label, tabindex: "-1" }, content);
  hostOf(anchor).append(panel);
  anchor.setAttribute("aria-expanded", "true");
  current = { panel, anchor, onClose, opener: document.activeElement };
  place(panel, anchor);
  document.addEventListener("pointerdown", closeOutside, true);
  (tabStops(panel)[0] ?? panel).focus();
  return { close: closePopup };
}

/** Returns whether one was open. */
export function closePopup() {
  if (!current) return false;
  const { panel, anchor, onClose, opener } = current;
  current = null;
  const hadFocus = panel.contains(document.activeElement);
  panel.remove();
  anchor.removeAttribute("aria-expanded");
  document.removeEventListener("pointerdown", closeOutside, true);
  if (hadFocus) (opener?.isConnected ? opener : anchor).focus();
  onClose();
  return true;
}

function closeOutside(event) {
  const isInside = current.panel.contains(event.target) || current.anchor.contains(event.target);
  if (!isInside) closePopup();
}

function hostOf(anchor) {
  return anchor.closest("dialog") ?? document.body;
}

function place(panel, anchor) {
  const at = anchor.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const isLeft = at.left < innerWidth / 2;
  const left = Math.min(isLeft ? at.left : at.right - width, innerWidth - width - EDGE_PX);
  const fitsAbove = at.top - height - GAP_PX >= EDGE_PX;
  const below = Math.min(at.bottom + GAP_PX, innerHeight - height - EDGE_PX);
  panel.style.left = `${Math.max(EDGE_PX, left)}px`;
  panel.style.top = `${fitsAbove ? at.top - height - GAP_PX : Math.max(EDGE_PX, below)}px`;
}

/** A menu of `{label, icon, run, isDanger}`; arrows move through it. */
export function openMenu(anchor, entries, { label, iconOf }) {
  const items = entries.map((entry) => menuItem(entry, iconOf));
  const menu = h("div", { class: "menu" }, ...items);
  menu.addEventListener("keydown", (event) => moveBy(event, items));
  return openPopup(anchor, menu, { label, role: "menu" });
}

function menuItem({ label, hint, icon, run, isDanger }, iconOf) {
  const item = h("button", {
    type: "button",
    role: "menuitem",
    class: isDanger ? "menu-item is-danger" : "menu-item",
    on: {
      click() {
        closePopup();
        run();
      },
    },
  }, iconOf(icon), h("span", { text: label }));
  if (hint) item.append(h("small", { text: hint }));
  return item;
}

function moveBy(event, items) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const index = items.indexOf(document.activeElement);
  items[(index + step + items.length) % items.length].focus();
}
