// What a select offers and what is chosen at first, for every source that Slack knows. Pure.

import { isObject, maybe, need } from "../shapes.js";
import { channelName, channelsOf, userName } from "../text/references.js";
import { maybeText, wordsOf } from "../text/object.js";

const MIN_QUERY_CHARS = 3;

/** Each choice is `{value, label, description, group}`; `search` asks the app as one types. */
export function choicesOf(node, place) {
  const source = node.type.replace(/^multi_/, "").replace(/_select$/, "");
  return SOURCES[source](node, place);
}

/** The choices that are chosen before the person does anything. */
export function initialChoices(node, { offered, named }, ctx) {
  const values = [
    ...listOf(node, "initial_users"),
    ...listOf(node, "initial_channels"),
    ...listOf(node, "initial_conversations"),
    ...[node.initial_user, node.initial_channel, node.initial_conversation].filter(Boolean),
  ].map(String);
  if (values.length === 0 && node.default_to_current_conversation === true && ctx.here) {
    values.push(String(ctx.here));
  }
  const options = [...listOf(node, "initial_options"), node.initial_option].filter(isObject);
  const ids = values.map((id) => offered.find(({ value }) => value === id) ?? named(id));
  return [...ids, ...options.map((option) => choiceOf(option, ctx))];
}

/** Choices from options, or from groups of options, as the app sends them. */
export function choicesIn(list, ctx) {
  return list.flatMap((entry) => {
    if (!isObject(entry) || !Array.isArray(entry.options)) return [choiceOf(entry, ctx)];
    const group = wordsOf(need(entry, "label", "object"), ctx);
    return entry.options.map((option) => ({ ...choiceOf(option, ctx), group }));
  });
}

function choiceOf(option, ctx) {
  return {
    value: maybe(option, "value", "string") ?? "",
    label: wordsOf(need(option, "text", "object"), ctx),
    description: maybeText(option, "description", ctx)?.textContent ?? "",
    group: null,
  };
}

const SOURCES = {
  static: (node, { ctx }) => {
    const list = maybe(node, "option_groups", "list") ?? need(node, "options", "list");
    return { offered: choicesIn(list, ctx), named: unnamed };
  },
  external: (node, { ctx }) => ({
    offered: [],
    named: unnamed,
    minChars: maybe(node, "min_query_length", "number") ?? MIN_QUERY_CHARS,
    search: async (typed) => choicesIn((await ctx.suggest(node.action_id, typed)) ?? [], ctx),
  }),
  users: (_node, { ctx }) => ({
    offered: Object.values(ctx.users ?? {})
      .filter(({ deleted }) => !deleted)
      .map(userChoice),
    named: unnamed,
  }),
  channels: (_node, { ctx }) => ({
    offered: channelsOf(ctx)
      .filter(isPublic)
      .map((channel) => channelChoice(channel, ctx)),
    named: unnamed,
  }),
  conversations: (node, { ctx }) => ({
    offered: channelsOf(ctx)
      .filter((channel) => passes(channel, node.filter, ctx))
      .map((channel) => channelChoice(channel, ctx)),
    named: unnamed,
  }),
};

const unnamed = (id) => ({ value: id, label: id, description: "", group: null });

function userChoice(user) {
  const name = userName(user) ?? user.id;
  const other = user.real_name && user.real_name !== name ? user.real_name : "";
  return { value: user.id, label: name, description: other, group: null };
}

function channelChoice(channel, ctx) {
  const name = channelName(channel.id, ctx);
  const label = channel.is_im ? name : `#${name}`;
  return { value: channel.id, label, description: "", group: null };
}

const isPublic = (channel) => !channel.is_im && !channel.is_mpim && !channel.is_private;

function kindOf(channel) {
  if (channel.is_im) return "im";
  if (channel.is_mpim) return "mpim";
  return channel.is_private ? "private" : "public";
}

function passes(channel, filter, ctx) {
  if (!isObject(filter)) return true;
  if (Array.isArray(filter.include) && !filter.include.includes(kindOf(channel))) return false;
  if (filter.exclude_external_shared_channels && channel.is_ext_shared) return false;
  return !(filter.exclude_bot_users && ctx.users?.[channel.user]?.is_bot);
}

function listOf(node, name) {
  return maybe(node, name, "list") ?? [];
}
