/** Lists that follow what is typed: completions in the composer, and the quick switch. */

import { freshId, h, setAttribute, show, stepOf } from "../shared/dom.js";
import { icon } from "../shared/icons.js";
import { emoji, findEmoji } from "./emoji.js";
import { avatar, channelMark } from "./people.js";
import { channelIcon, channelName, fullName, userName } from "./words.js";

const MAX_OFFERS = 8;
const SWITCHER_OFFERS = 9;
const WORD = /(^|[\s(])([@#:])([\p{L}\p{N}_.+-]*)$/u;
const BROADCASTS = [["here", "Everyone who is active here"], ["channel", "Everyone in this channel"]];

/** A list of `{face, title, hint}` that is driven by the keys of a field; `choose(offer)` hears of the pick. */
export class Offers {
  constructor(field, label, choose) {
    this.field = field;
    this.choose = choose;
    this.offers = [];
    this.node = h("ul", { id: freshId("offers"), class: "offers", role: "listbox", "aria-label": label, hidden: true });
    setAttribute(field, "aria-autocomplete", "list");
    setAttribute(field, "aria-controls", this.node.id);
  }

  open(offers) {
    this.offers = offers;
    this.node.replaceChildren(...offers.map((offer, index) => this.option(offer, index)));
    show(this.node, offers.length > 0);
    this.mark(0);
  }

  close() {
    if (this.offers.length > 0) this.open([]);
  }

  option({ face, title, hint = "" }, index) {
    return h("li", {
      id: `${this.node.id}-${index}`, class: "offer", role: "option",
      on: { pointerdown: (event) => event.preventDefault(), click: () => this.pick(index) },
    }, face, h("span", { class: "offer-title", text: title }), h("span", { class: "offer-hint truncate", text: hint }));
  }

  mark(index) {
    this.index = index;
    [...this.node.children].forEach((option, at) => setAttribute(option, "aria-selected", String(at === index)));
    const active = this.node.children[index];
    setAttribute(this.field, "aria-activedescendant", active?.id ?? null);
    active?.scrollIntoView({ block: "nearest" });
  }

  pick(index) {
    const offer = this.offers[index];
    this.close();
    this.choose(offer);
  }

  /** Returns whether the key was for the list. */
  take(event) {
    const { length } = this.offers;
    const step = stepOf(event);
    if (length === 0 || event.isComposing) return false;
    if (step) this.mark((this.index + step + length) % length);
    else if (event.key === "Enter" || event.key === "Tab") this.pick(this.index);
    else if (event.key === "Escape") this.close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
}

/** What the composer offers for the text before the cursor; `start` is where the typed word begins. Threads have no commands. */
export function complete(before, channel, store, thread) {
  const command = thread ? null : /^\/(\S*)$/.exec(before);
  if (command) return at(0, commands(command[1], store));
  const word = WORD.exec(before);
  if (!word) return [];
  const [, space, sign, typed] = word;
  const start = word.index + space.length;
  if (sign === "@") return at(start, people(typed.toLowerCase(), channel, store));
  if (sign === "#") return at(start, channels(typed.toLowerCase(), store));
  return typed.length < 2 ? [] : at(start, emojis(typed, store));
}

function at(start, offers) {
  return offers.slice(0, MAX_OFFERS).map((offer) => ({ ...offer, start }));
}

function commands(typed, store) {
  const matching = store.team.commands.filter(({ command }) => command.slice(1).startsWith(typed));
  return matching.map(({ command, description, usage_hint: usage = "" }) => ({
    insert: `${command} `, title: `${command} ${usage}`.trim(), hint: description, face: icon("bolt"),
  }));
}

/** The bot first, then members of the channel, then the others. */
function people(typed, channel, store) {
  const rank = (user) => (user.id === store.bot.user_id ? 0 : channel?.members.includes(user.id) ? 1 : 2);
  const names = (user) => [user.name, userName(user), ...fullName(user).split(" ")];
  const found = Object.values(store.team.users).filter((user) => names(user).some((name) => name.toLowerCase().startsWith(typed)));
  const sorted = found.sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
  const broadcasts = BROADCASTS.filter(([name]) => typed && name.startsWith(typed));
  return [
    ...sorted.map((user) => ({
      insert: `@${user.name} `, title: userName(user), face: avatar(user, store, "s"),
      hint: user.is_bot ? "App" : fullName(user) === userName(user) ? "" : fullName(user),
    })),
    ...broadcasts.map(([name, hint]) => ({ insert: `@${name} `, title: `@${name}`, hint, face: icon("people") })),
  ];
}

function channels(typed, store) {
  const matching = [...store.channels.values()].filter((channel) => !channel.is_im && channel.name?.startsWith(typed));
  return matching.map((channel) => ({
    insert: `#${channel.name} `, title: channel.name, hint: channel.is_archived ? "Archived" : "", face: icon(channelIcon(channel)),
  }));
}

function emojis(typed, store) {
  const face = (name) => h("span", { class: "offer-character", "aria-hidden": "true", text: emoji(name, store) });
  return findEmoji(typed, store, MAX_OFFERS).map((name) => ({ insert: `:${name}: `, title: `:${name}:`, face: face(name) }));
}

/** The quick switch: type a few letters of a channel or person, Enter goes there, Esc closes it. */
export function openSwitcher(app) {
  if (document.querySelector("dialog[open]")) return;
  const { store } = app;
  const input = h("input", {
    class: "switcher-input", type: "text", placeholder: "Jump to a channel or person", autocomplete: "off",
    role: "combobox", "aria-label": "Jump to", "aria-expanded": "true",
  });
  const offers = new Offers(input, "Places", ({ id }) => {
    dialog.close();
    app.places.goTo(id);
    app.focusComposer();
  });
  const fill = () => {
    const wanted = input.value.trim().replace(/^[#@]/, "").toLowerCase();
    const named = [...store.channels.values()].map((channel) => ({ id: channel.id, channel, title: channelName(channel, store) }));
    const matching = named.filter(({ title }) => title.toLowerCase().includes(wanted));
    const isLater = ({ title }) => Number(!title.toLowerCase().startsWith(wanted));
    const sorted = matching.sort((one, other) => isLater(one) - isLater(other)).slice(0, SWITCHER_OFFERS);
    offers.open(sorted.map((offer) => ({ ...offer, face: channelMark(offer.channel, store) })));
  };
  const dialog = h("dialog", { class: "switcher", "aria-label": "Jump to" }, input, offers.node);
  input.addEventListener("input", fill);
  input.addEventListener("keydown", (event) => event.key !== "Escape" && offers.take(event));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  fill();
  dialog.showModal();
  input.focus();
}
