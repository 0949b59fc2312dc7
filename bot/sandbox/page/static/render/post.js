// The body of a post: its text or blocks, attachments, files, and the stream that it may be.

import { attachment } from "./attachments.js";
import { blocks } from "./blocks.js";
import { el } from "./dom.js";
import { emoji } from "./emoji.js";
import { fileList } from "./files.js";
import { mrkdwn } from "./mrkdwn.js";
import { streamBlocks, streamOf, writingMark } from "./stream.js";

const MAX_JUMBO = 23;
const EMOJI = /:[a-z0-9_+'-]+(?:::skin-tone-[2-6])?:|\p{Extended_Pictographic}\p{EMod}?/gu;
const JOINERS = /[\s\u200d\ufe0f]/g;

/** What a post says, without its author, time and reactions. Never throws. */
export function postBody(post, ctx) {
  const scoped = { ...ctx, scope: `${post.sandbox?.channel ?? post.channel ?? ""}/${post.ts}` };
  const files = Array.isArray(post.files) ? post.files : [];
  const attachments = Array.isArray(post.attachments) ? post.attachments : [];
  return el(
    "div",
    { class: "k-post" },
    content(post, scoped),
    attachments.map((value) => attachment(value, scoped)),
    files.length > 0 && fileList(files, scoped),
    writingMark(streamOf(post)),
  );
}

function content(post, ctx) {
  const text = typeof post.text === "string" ? post.text : "";
  const hasBlocks = Array.isArray(post.blocks) && post.blocks.length > 0;
  if (hasBlocks && !isTyped(post)) return blocks(post.blocks, ctx);
  const stream = streamOf(post);
  if (text === "" && stream) return blocks(streamBlocks(stream), ctx);
  if (text === "") return null;
  const kinds = ["k-text", isJumbo(text) && "k-jumbo", post.subtype === "me_message" && "k-me"];
  return el("div", { class: kinds.filter(Boolean).join(" ") }, mrkdwn(text, ctx));
}

/**
 * Whether the blocks only repeat what a person typed. Slack's composer turns `*marks*` into styled
 * rich text as they are typed; here they are read from the text.
 */
function isTyped(post) {
  const [block, ...others] = post.blocks;
  if (post.bot_id || others.length > 0 || block?.type !== "rich_text" || !post.text) return false;
  const sections = Array.isArray(block.elements) ? block.elements : [];
  return sections.every(
    (section) =>
      section?.type === "rich_text_section" &&
      Array.isArray(section.elements) &&
      section.elements.every((leaf) => leaf !== null && typeof leaf === "object" && !leaf.style),
  );
}

/** A few emoji alone are shown large. */
function isJumbo(text) {
  const found = text.match(EMOJI) ?? [];
  const rest = text.replace(EMOJI, "").replace(JOINERS, "");
  const areKnown = found.every(
    (name) => !name.startsWith(":") || emoji(name.slice(1, -1)) !== name,
  );
  return rest === "" && found.length > 0 && found.length <= MAX_JUMBO && areKnown;
}
