/** How people, the bot and channels are called on the page. */

/** The name that a post of this user shows; a user without a name shows the id. */
export function userName(user, fallback = "Unknown user") {
  if (!user) return fallback;
  return user.profile?.display_name || user.real_name || user.name || user.id;
}

/** The person's whole name, for menus and profiles. */
export function fullName(user) {
  return user?.real_name || userName(user);
}

export function authorName(post, store) {
  if (post.username) return post.username;
  const user = store.user(post.user);
  return user ? fullName(user) : post.user || "Unknown user";
}

export function isFromBot(post, store) {
  return post.user === store.bot.user_id;
}

/** The other side of a direct channel, as seen by the present person. */
export function otherMembers(channel, store) {
  const others = (channel.members ?? []).filter((id) => id !== store.me);
  return others.length > 0 ? others : [channel.user ?? store.me];
}

/** "general", or the names of the others in a direct channel. */
export function channelName(channel, store) {
  if (!channel) return "unknown channel";
  if (!channel.is_im && !channel.is_mpim) return channel.name;
  return otherMembers(channel, store).map((id) => userName(store.user(id), id)).join(", ");
}

/** "#general", or the names of the others: as a place is named in sentences. */
export function placeName(channel, store) {
  const sign = channel && !channel.is_im && !channel.is_mpim ? "#" : "";
  return sign + channelName(channel, store);
}

export function channelIcon(channel) {
  if (channel.is_archived) return "archive";
  return channel.is_private ? "lock" : "hash";
}

/** Whether the present person can write in a channel. */
export function mayPost(channel) {
  return !channel.is_archived && !channel.is_read_only && channel.am_member !== false;
}
