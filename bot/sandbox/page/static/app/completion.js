/** What the composer offers while a name is typed: people, channels, emoji, slash commands. Pure. */

import { emoji } from "../render/emoji.js";
import { fullName, userName } from "./names.js";
import { findEmoji } from "./picker.js";

const MAX_OFFERS = 8;
const BROADCASTS = [
  { name: "here", words: "Everyone who is active here" },
  { name: "channel", words: "Everyone in this channel" },
];
const WORD = /(^|[\s(])([@#:])([\p{L}\p{N}_.+-]*)$/u;

/**
 * The offers for the text before the cursor, or null: `{start, offers: [{insert, title, hint, face}]}`.
 * `start` is where the typed word begins; `face` is a user or a character.
 */
export function complete(before, channel, store) {
  const command = /^\/(\S*)$/.exec(before);
  if (command) return result(0, commands(command[1], store));
  const word = WORD.exec(before);
  if (!word) return null;
  const [whole, space, sign, typed] = word;
  const start = word.index + whole.length - whole.slice(space.length).length;
  if (sign === "@") return result(start, people(typed, channel, store));
  if (sign === "#") return result(start, channels(typed, store));
  return typed.length < 2 ? null : result(start, emojis(typed));
}

function result(start, offers) {
  return offers.length > 0 ? { start, offers: offers.slice(0, MAX_OFFERS) } : null;
}

function commands(typed, store) {
  const matching = store.world.commands.filter(({ command }) => command.slice(1).startsWith(typed));
  return matching.map(({ command, description, usage_hint }) => ({
    insert: `${command} `,
    title: usage_hint ? `${command} ${usage_hint}` : command,
    hint: description,
    icon: "bolt",
  }));
}

/** The bot first, then members of the channel, then the others. */
function people(typed, channel, store) {
  const members = new Set(channel?.members ?? []);
  const rank = (user) => (user.id === store.bot.user_id ? 0 : members.has(user.id) ? 1 : 2);
  const users = Object.values(store.world.users).filter((user) => user.name && matches(user, typed));
  const sorted = users.sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
  const broadcasts = BROADCASTS.filter(({ name }) => typed && name.startsWith(typed.toLowerCase()));
  return [
    ...sorted.map((user) => ({ insert: `@${user.name} `, title: userName(user), hint: hintOf(user), user })),
    ...broadcasts.map(({ name, words }) => ({ insert: `@${name} `, title: `@${name}`, hint: words, icon: "people" })),
  ];
}

function hintOf(user) {
  if (user.is_bot) return "App";
  return fullName(user) === userName(user) ? "" : fullName(user);
}

function matches(user, typed) {
  const wanted = typed.toLowerCase();
  const names = [user.name, userName(user), ...fullName(user).split(" ")];
  return names.some((name) => name.toLowerCase().startsWith(wanted));
}

function channels(typed, store) {
  const named = [...store.channels.values()].filter((channel) => channel.name && !channel.is_im);
  const matching = named.filter((channel) => channel.name.startsWith(typed.toLowerCase()));
  return matching.map((channel) => ({
    insert: `#${channel.name} `,
    title: channel.name,
    hint: channel.is_archived ? "Archived" : "",
    icon: channel.is_private ? "lock" : "hash",
  }));
}

function emojis(typed) {
  return findEmoji(typed, MAX_OFFERS).map((name) => ({
    insert: `:${name}: `,
    title: `:${name}:`,
    hint: "",
    character: emoji(name),
  }));
}
