/** The panel of everything between the app and Slack: API calls and what was delivered to the app. */

import { h, redraw, setText, show } from "../shared/dom.js";
import { icon } from "../shared/icons.js";
import { KeyedList } from "../shared/keyed.js";
import { Scroller } from "./messages.js";
import { paneHead } from "./panes.js";
import { count, secondsLabel } from "./words.js";

const ACK_DEADLINE_S = 3;
const FILTERS = [["all", "All"], ["call", "Calls"], ["delivery", "Events"], ["failed", "Failed"]];

export class CallsPane {
  constructor(app) {
    this.app = app;
    this.filter = "all";
    this.facts = h("span", { class: "head-topic truncate" });
    this.buttons = FILTERS.map(([filter, label]) =>
      h("button", { type: "button", class: "filter", text: label, dataset: { filter }, on: { click: () => this.choose(filter) } }));
    this.items = h("ol");
    this.empty = h("p", { class: "calls-empty muted", text: "Nothing of this kind yet." });
    const frame = h("div", { class: "calls-frame", tabindex: "0", role: "region", "aria-label": "List of calls" }, this.items, this.empty);
    this.node = h("aside", { class: "pane pane-calls", "aria-label": "API calls", hidden: true },
      paneHead("API calls", this.facts, () => app.places.close("calls")),
      h("div", { class: "filters", role: "group", "aria-label": "Show" }, this.buttons),
      frame);
    this.list = new KeyedList(this.items, entryItem);
    this.scroller = new Scroller(frame, this.items);
  }

  choose(filter) {
    this.filter = filter;
    this.scroller.toBottom();
    this.app.store.touch();
  }

  update() {
    const { calls: isOpen } = this.app.places.place;
    const isNew = isOpen && this.node.hidden;
    show(this.node, isOpen);
    if (!isOpen) return;
    const { store } = this.app;
    const log = [...store.log.values()].map((entry) => ({ ...entry, facts: entry.call ? callFacts(entry.call) : deliveryFacts(entry.delivery, store.now()) }));
    const entries = log.filter(({ kind, facts }) => (this.filter === "failed" ? facts.isFailed : this.filter === "all" || kind === this.filter));
    this.list.update(entries);
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.filter === this.filter));
    const calls = log.filter(({ kind }) => kind === "call").length;
    const failed = log.filter(({ facts }) => facts.isFailed).length;
    setText(this.facts, [count(calls, "call"), count(log.length - calls, "event"), failed && `${failed} failed`].filter(Boolean).join(", "));
    show(this.empty, entries.length === 0);
    if (isNew) this.scroller.toBottom();
    else this.scroller.settle();
  }
}

function callFacts({ method, duration_ms: took, ok, error, status }) {
  const outcome = ok ? `${Math.round(took)} ms` : error || `HTTP ${status}`;
  return { way: "fromApp", words: "The app called", name: method, outcome, isFailed: !ok };
}

function deliveryFacts(delivery, nowS) {
  const { type, payload, attempt } = delivery;
  const name = payload.event?.type || payload.command || payload.type || type;
  return { way: "toApp", words: "Sent to the app", name: attempt > 0 ? `${name} · retry ${attempt}` : name, ...outcomeOf(delivery, nowS) };
}

/** What became of a delivery: Slack waits three seconds for the app's acknowledgement. */
function outcomeOf({ reached_socket: isReached, sent_at_s: sentS, acked_at_s: ackedS }, nowS) {
  if (!isReached) return { outcome: "no socket", isFailed: true };
  if (ackedS !== null) return { outcome: `ack ${Math.max(0, Math.round((ackedS - sentS) * 1000))} ms`, isFailed: false };
  const isLate = nowS - sentS > ACK_DEADLINE_S;
  return { outcome: isLate ? "no answer" : "waiting", isFailed: isLate };
}

function entryItem(row) {
  const summary = h("summary", { class: "call" });
  const details = h("details", {}, summary);
  let current = row;
  details.addEventListener("toggle", () => {
    details.querySelector("pre")?.remove();
    if (details.open) details.append(json(current));
  });
  const update = (next) => {
    current = next;
    redraw(summary, JSON.stringify(next.facts), () => parts(next));
    details.className = next.facts.isFailed ? "is-failed" : "";
  };
  update(row);
  return { node: h("li", {}, details), update };
}

function parts({ atS, facts: { way, words, name, outcome, isFailed } }) {
  return [
    h("span", { class: `call-way is-${way}`, title: words }, icon(way), h("span", { class: "visually-hidden", text: words })),
    h("span", { class: "call-name truncate", title: name }, breakable(name)),
    h("span", { class: "call-outcome" }, isFailed ? icon("warning") : null, h("span", { text: outcome })),
    h("time", { class: "call-time", text: secondsLabel(atS) }),
  ];
}

/** The name with places where a narrow line may break: after each dot and underscore. */
function breakable(name) {
  return name.split(/(?<=[._])/).flatMap((part) => [part, h("wbr")]);
}

function json({ call, delivery }) {
  const value = call ? { args: call.args, status: call.status, error: call.error } : delivery.payload;
  return h("pre", { class: "call-json", tabindex: "0", "aria-label": "Details", text: JSON.stringify(value, null, 2) });
}
