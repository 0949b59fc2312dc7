/** Interactive elements: each use is told to the app, after a confirmation where the app wants one. */

import { h, liveUrl } from "../../shared/dom.js";
import { icon } from "../../shared/icons.js";
import { confirm, openMenu } from "../../shared/popup.js";
import { texts } from "../markup.js";
import { channelName, isDirect, placeName } from "../words.js";

const ELEMENTS = {
  button,
  overflow,
  static_select: (node, place) => select(node, place, node.options.map(optionOf), node.initial_option?.value),
  conversations_select: (node, place) =>
    select(node, place, conversations(node, place.ctx.store), node.initial_conversation),
  plain_text_input: textInput,
  feedback_buttons: feedback,
};

/**
 * An element as a node, or null for a type that is not known. `place` is `{ctx, blockId, fires}`,
 * with `id` and `describedBy` in an input block.
 */
export function element(node, place) {
  if (!Object.hasOwn(ELEMENTS, node.type)) return null;
  const self = ELEMENTS[node.type](node, place);
  if (node.action_id) self.dataset.actionId = node.action_id;
  return self;
}

/** Tells the app of a use. The control is busy meanwhile. Gives false when the person took it back. */
async function tell(node, place, value, control) {
  const { confirm: asked } = node;
  const isAgreed = !asked || (await confirm({
    title: asked.title.text,
    question: texts(asked.text.html, "text"),
    agree: asked.confirm.text,
    deny: asked.deny.text,
    isDanger: asked.style === "danger",
  }));
  if (!isAgreed) return false;
  control.setAttribute("aria-busy", "true");
  await place.ctx.onAction({ action_id: node.action_id, block_id: place.blockId, chosen: value || null });
  control.removeAttribute("aria-busy");
  return true;
}

const LOOKS = { primary: "is-primary", danger: "is-danger" };

/** A button, or a link that looks like one when it has an address; the app is told of both. */
function button(node, place) {
  const href = liveUrl(node.url);
  const link = href ? { href, rel: "noopener noreferrer", target: "_blank" } : { type: "button" };
  const self = h(href ? "a" : "button", {
    ...link, class: `button is-small ${LOOKS[node.style] ?? ""}`, "aria-label": node.accessibility_label,
  }, texts(node.text.html, "", "span"));
  self.addEventListener("click", async (event) => {
    const waits = href && node.confirm;
    if (waits) event.preventDefault();
    const isAgreed = await tell(node, place, node.value ?? null, self);
    if (waits && isAgreed) window.open(href, "_blank", "noopener,noreferrer");
  });
  return self;
}

function overflow(node, place) {
  const self = h("button", { type: "button", class: "button is-small is-overflow", "aria-haspopup": "menu", "aria-label": "More options" }, icon("more"));
  const entries = node.options.map((option) => ({
    label: option.text.text,
    run: () => {
      if (liveUrl(option.url)) window.open(option.url, "_blank", "noopener,noreferrer");
      tell(node, place, option.value, self);
    },
  }));
  self.addEventListener("click", () => openMenu(self, entries, "More options"));
  return self;
}

/** Two buttons of which one may be chosen; the choice is shown. */
function feedback(node, place) {
  const choose = async (chosen, value) => {
    if (!(await tell(node, place, value, chosen))) return;
    for (const each of self.children) each.setAttribute("aria-pressed", String(each === chosen));
  };
  const side = ({ text, value, accessibility_label: label }, name) => {
    const each = h("button", { type: "button", class: "icon-button", title: text.text, "aria-label": label ?? text.text, "aria-pressed": "false" }, icon(name));
    each.addEventListener("click", () => choose(each, value));
    return each;
  };
  const self = h("span", { role: "group", "aria-label": "Feedback" },
    side(node.positive_button, "thumbUp"), side(node.negative_button, "thumbDown"));
  return self;
}

/** The browser's own menu. `options` are `[value, words]`. */
function select(node, place, options, initial) {
  const none = initial === undefined ? [["", node.placeholder?.text ?? "Select an option"]] : [];
  const self = h("select", naming(node, place), [...none, ...options].map(([value, label]) => h("option", { value, text: label })));
  self.value = initial ?? "";
  return telling(self, node, place);
}

/** The app gets each change of a menu outside of forms; a change that the person takes back is undone. */
function telling(self, node, place) {
  let settled = self.value;
  self.addEventListener("change", async () => {
    if (place.fires && !(await tell(node, place, self.value, self))) self.value = settled;
    settled = self.value;
  });
  return self;
}

function optionOf({ value, text }) {
  return [value, text.text];
}

function conversations(node, store) {
  const kinds = node.filter?.include ?? ["public", "private", "im", "mpim"];
  const kindOf = (channel) => (channel.is_im ? "im" : channel.is_mpim ? "mpim" : channel.is_private ? "private" : "public");
  const offered = [...store.channels.values()].filter((channel) => kinds.includes(kindOf(channel)) && !channel.is_archived);
  return offered.map((channel) => [channel.id, isDirect(channel) ? channelName(channel, store) : placeName(channel, store)]);
}

function textInput(node, place) {
  const self = h(node.multiline ? "textarea" : "input", {
    ...naming(node, place),
    type: node.multiline ? null : "text",
    rows: node.multiline ? 4 : null,
    maxlength: node.max_length,
    placeholder: node.placeholder?.text,
  });
  self.value = node.initial_value ?? "";
  return self;
}

/** A control is named by its label in an input block, else by what it says itself. */
function naming(node, { id, describedBy }) {
  const own = id ? { id, "aria-describedby": describedBy } : { "aria-label": node.placeholder?.text ?? "Options" };
  return { class: "field", ...own };
}
