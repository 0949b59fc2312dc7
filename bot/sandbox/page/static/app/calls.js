/** The panel of everything between the app and Slack: API calls and what was delivered to the app. */

import { h, setText, show } from "./dom.js";
import { icon } from "./icons.js";
import { KeyedList } from "./keyed.js";
import { paneHead } from "./pane_head.js";
import { Scroller } from "./scroller.js";
import { count, secondsLabel } from "./time.js";

const ACK_DEADLINE_S = 3;
const FILTERS = [["all", "All"], ["call", "Calls"], ["delivery", "Events"], ["failed", "Failed"]];

export class CallsPane {
  constructor(app) {
    this.app = app;
    this.filter = "all";
    this.facts = h("span", { class: "head-topic" });
    this.buttons = FILTERS.map(([filter, label]) => this.filterButton(filter, label));
    this.items = h("ol", { class: "calls" });
    this.empty = h("p", { class: "calls-empty", text: "Nothing of this kind yet." });
    const frame = h("div", { class: "calls-frame", tabindex: "0", role: "region", "aria-label": "List of calls" }, this.items, this.empty);
    this.node = h("aside", { class: "pane pane-calls", "aria-label": "API calls", hidden: true },
      paneHead("API calls", this.facts, () => app.places.close("calls")),
      h("div", { class: "filters", role: "group", "aria-label": "Show" }, ...this.buttons),
      frame);
    this.list = new KeyedList(this.items, entryItem);
    this.scroller = new Scroller(frame, this.items);
  }

  filterButton(filter, label) {
    return h("button", {
      type: "button", class: "filter", text: label, dataset: { filter },
      on: {
        click: () => {
          this.filter = filter;
          this.scroller.toBottom();
          this.app.store.touch();
        },
      },
    });
  }

  update() {
    const { calls: isOpen } = this.app.places.place;
    const isNew = isOpen && this.node.hidden;
    show(this.node, isOpen);
    if (!isOpen) return;
    const nowS = this.app.store.now();
    const log = this.app.store.log.map((entry) => ({ ...entry, nowS }));
    const entries = log.filter((entry) => passes(entry, this.filter));
    this.list.update(entries);
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.filter === this.filter));
    }
    setText(this.facts, factsOf(log));
    show(this.empty, entries.length === 0);
    if (isNew) this.scroller.toBottom();
    else this.scroller.settle();
  }
}

function factsOf(log) {
  const calls = log.filter(({ kind }) => kind === "call").length;
  const failed = log.filter(isFailed).length;
  const words = [count(calls, "call"), count(log.length - calls, "event")];
  return [...words, ...(failed ? [`${failed} failed`] : [])].join(", ");
}

function passes(entry, filter) {
  if (filter === "failed") return isFailed(entry);
  return filter === "all" || entry.kind === filter;
}

function isFailed(entry) {
  return entry.kind === "call" ? !entry.call.ok : outcomeOf(entry.delivery, entry.nowS).isFailed;
}

/** What became of a delivery: Slack waits three seconds for the app's acknowledgement. */
function outcomeOf({ reached_socket, sent_at_s, acked_at_s }, nowS) {
  if (!reached_socket) return { words: "no socket", isFailed: true };
  if (acked_at_s !== null) {
    return { words: `ack ${Math.max(0, Math.round((acked_at_s - sent_at_s) * 1000))} ms`, isFailed: false };
  }
  const isLate = nowS - sent_at_s > ACK_DEADLINE_S;
  return isLate ? { words: "no answer", isFailed: true } : { words: "waiting", isFailed: false };
}

function entryItem(row) {
  const summary = h("summary", { class: "call" });
  const details = h("details", {}, summary);
  const node = h("li", {}, details);
  let shown = "";
  let current = row;
  details.addEventListener("toggle", () => {
    details.querySelector("pre")?.remove();
    if (details.open) details.append(json(current));
  });
  const update = (next) => {
    current = next;
    const facts = next.call ? callFacts(next.call) : deliveryFacts(next);
    const mark = JSON.stringify(facts);
    if (shown === mark) return;
    shown = mark;
    summary.replaceChildren(...parts(facts));
    details.className = facts.isFailed ? "is-failed" : "";
  };
  update(row);
  return { node, update };
}

function callFacts({ method, at_s, duration_ms, ok, error, status }) {
  const outcome = ok ? `${Math.round(duration_ms)} ms` : error || `HTTP ${status}`;
  return { way: "fromApp", words: "The app called", name: method, atS: at_s, outcome, isFailed: !ok };
}

function deliveryFacts({ delivery, nowS }) {
  const { type, event_type, attempt, sent_at_s, payload } = delivery;
  const again = attempt > 0 ? ` · retry ${attempt}` : "";
  const { words, isFailed } = outcomeOf(delivery, nowS);
  const name = (event_type || payload.command || payload.type || type) + again;
  return { way: "toApp", words: "Sent to the app", name, atS: sent_at_s, outcome: words, isFailed };
}

function parts({ way, words, name, atS, outcome, isFailed }) {
  return [
    h("span", { class: `call-way is-${way}`, title: words }, icon(way), h("span", { class: "visually-hidden", text: words })),
    h("span", { class: "call-name", title: name }, ...breakable(name)),
    h("span", { class: "call-outcome" }, isFailed ? icon("warning") : "", h("span", { text: outcome })),
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
