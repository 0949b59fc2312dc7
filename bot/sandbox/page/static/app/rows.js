/** The rows of a message list: days, the line above what is new, posts grouped by author, deleted roots. */

import { isEphemeral, isReply, rootTs } from "./posts.js";
import { agoLabel, count, dayKey, dayLabel } from "./time.js";

const GROUP_S = 300;

/** The rows of a channel. */
export function channelRows(channel, store, unread, editing) {
  const posts = store.postsOf(channel);
  const rows = withDays(posts.inChannel, store, unread.divider.ts);
  return rows.map((row) => {
    if (row.kind === "line") return row;
    const thread = threadFacts(channel, row.post, posts, store, unread);
    return finish({ ...row, ...thread, channel, place: "channel" }, store, editing);
  });
}

/** The rows of a thread: its root, the count of replies, the replies. */
export function threadRows(channel, root, store, editing) {
  const posts = store.postsOf(channel);
  const replies = posts.replies(root);
  const first = posts.get(root) ?? { ts: root, deleted: true };
  const counted = { key: "replies", kind: "line", look: "count", label: count(inSight(replies).length, "reply", "replies") };
  const rows = [postRow(first, null), ...(inSight(replies).length > 0 ? [counted] : []), ...groupRows(replies)];
  return rows.map((row) =>
    row.kind === "line" ? row : finish({ ...row, channel, place: "thread" }, store, editing),
  );
}

function withDays(posts, store, newAfterTs) {
  const rows = [];
  let before = null;
  let isNewShown = !newAfterTs;
  for (const post of posts) {
    const isNewDay = !before || dayKey(before.ts) !== dayKey(post.ts);
    if (isNewDay) rows.push(dayRow(post.ts, store.now()));
    const isFirstNew = !isNewShown && post.ts > newAfterTs && post.user !== store.me;
    if (isFirstNew) rows.push({ key: "new", kind: "line", look: "new", label: "New" });
    isNewShown ||= isFirstNew;
    rows.push(postRow(post, isNewDay || isFirstNew ? null : before));
    before = post;
  }
  return rows;
}

function dayRow(ts, nowS) {
  return { key: `day-${dayKey(ts)}`, kind: "line", look: "day", label: dayLabel(ts, nowS) };
}

function groupRows(posts) {
  return posts.map((post, index) => postRow(post, index > 0 ? posts[index - 1] : null));
}

function postRow(post, before) {
  const kind = isDeleted(post) ? "deleted" : "post";
  return { key: post.ts, kind, post, isGrouped: Boolean(before) && belongsTo(before, post) };
}

function belongsTo(before, post) {
  const isPlain = [before, post].every((one) => !isDeleted(one) && !isSystem(one) && !isEphemeral(one));
  return (
    isPlain &&
    before.user === post.user &&
    before.username === post.username &&
    Number(post.ts) - Number(before.ts) < GROUP_S &&
    isReply(before) === isReply(post)
  );
}

/** Slack leaves a tombstone where a thread's root was; a root that cannot be read is told the same. */
function isDeleted(post) {
  return Boolean(post.deleted) || post.subtype === "tombstone";
}

/** Joins, topics and the like: told in one muted line. */
export function isSystem(post) {
  return /^(channel|group)_/.test(post.subtype ?? "");
}

/** The replies that Slack counts: not those for one person alone. */
function inSight(replies) {
  return replies.filter((reply) => !isEphemeral(reply));
}

function threadFacts(channel, post, posts, store, unread) {
  const root = isDeleted(post) ? post.ts : rootTs(post);
  const session = store.session(channel, root);
  const replies = inSight(posts.replies(root));
  if (!isDeleted(post) && isReply(post)) return { replies: [], summary: "", isNew: false, session: null };
  const latest = replies.at(-1);
  const summary = latest ? `Last reply ${agoLabel(latest.ts, store.now())}` : "";
  return { replies, summary, session, isNew: unread.isThreadNew(channel, root) };
}

/** Adds the mark by which a list sees that a row with the same post must be drawn again. */
function finish(row, store, editing) {
  const isEdited = editing?.channel === row.channel && editing.ts === row.key && editing.place === row.place;
  const { isGrouped, summary = "", replies = [], isNew = false, session = null } = row;
  const line = session ? `${session.status}/${session.status_text}` : "";
  const mark = [store.me, isGrouped, replies.length, summary, isNew, line, isEdited].join("|");
  return { ...row, isEdited, mark };
}
