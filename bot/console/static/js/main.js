/** Puts the live view together: one `app` that its parts share, drawn again after each change. */

import { h, redraw, setAttribute, setText, show } from "../shared/dom.js";
import { botMark, button, icon, iconButton } from "../shared/icons.js";
import { toast } from "../shared/popup.js";
import { Connection } from "./connection.js";
import { Detail } from "./detail.js";
import { composer } from "./forms.js";
import { Store } from "./store.js";
import { Tree } from "./tree.js";
import { learnWords, say } from "./words.js";

const TICK_MS = 1000;

class App {
  constructor(root) {
    const key = decodeURIComponent(/^\/s\/([^/]+)/.exec(location.pathname)?.[1] ?? "");
    const address = new URL("/ws", location.href.replace(/^http/, "ws"));
    if (key) address.searchParams.set("session", key);
    this.root = root;
    this.store = new Store(key, () => this.draw());
    this.store.session = key;
    this.connection = new Connection(address, {
      onMessage: (message) => this.take(message),
      onLink: (link) => this.store.setLink(link),
    });
    this.announced = new Set();
    this.build();
  }

  build() {
    this.region = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
    this.link = h("span", { class: "link", role: "status" });
    this.counts = h("span", { class: "counts" });
    this.name = h("span", { class: "counts" });
    this.leave = button(say("leave"), () => leave(), "is-small");
    this.leave.hidden = true;
    this.call = h("div", { class: "call", hidden: true });
    this.tree = new Tree(this);
    this.detail = new Detail(this);
    this.start = composer({ label: say("start-label"), submit: say("start-send"), place: "start", run: (prompt) => this.begin(prompt) });
    this.startFoot = h("footer", { class: "pane-foot" }, this.start.node);
    const top = h("header", { class: "top" },
      h("span", { class: "brand" }, h("span", { class: "brand-mark" }, botMark()), h("strong", { text: say("page") })),
      this.link, h("span", { class: "spacer" }, this.counts), this.name, this.leave,
      iconButton(say("theme"), "moon", () => window.appearance.toggle()));
    const nav = h("nav", { class: "pane pane-tree", "aria-label": say("tree") }, h("div", { class: "tree-frame" }, this.tree.node), this.startFoot);
    this.root.replaceChildren(top, this.call, h("div", { class: "panes" }, nav, this.detail.node), this.region);
    setAttribute(this.root, "data-front", "tree");
  }

  run() {
    document.addEventListener("keydown", (event) => this.escape(event));
    document.addEventListener("visibilitychange", () => this.store.touch());
    setInterval(() => this.store.touch(), TICK_MS);
    this.connection.connect();
    this.store.touch();
  }

  take(message) {
    const { store } = this;
    switch (message.type) {
      case "agent-state": return store.setState(message.agentId, message.state);
      case "text-delta": return store.addText(message.agentId, message.delta, message.html);
      case "user-query": return store.ask(message.agentId, message.prompt, message.options);
      case "ready":
        if (message.enter) return void enter(message.enter); // begun here: it has a page of its own
        store.session = message.session ?? store.session;
        store.canIntervene = Boolean(message.canIntervene);
        setText(this.name, message.name ? say("as", { name: message.name }) : "");
        show(this.leave, Boolean(message.name));
        return store.touch();
      case "agent-completed": return setText(this.region, say("told-completed"));
      case "error": return toast(message.error, { isFailure: true });
    }
  }

  /** Says something to the bot. Resolves to whether it was done; if not, why not is shown. */
  async send(message, said = "") {
    const answer = this.store.link === "live" ? await this.connection.send(message) : null;
    const isDone = answer?.type === "done";
    if (!isDone) toast(answer?.error ?? say("not-live"), { isFailure: true });
    else if (said) toast(said);
    return isDone;
  }

  begin(prompt) {
    this.store.isFollowing = true;
    this.store.keep();
    return this.send({ type: "start-agent", prompt }, say("start-sent"));
  }

  /** Shows an agent; on a phone in front of the tree. */
  open(id, { isEntered = false } = {}) {
    this.store.select(id);
    setAttribute(this.root, "data-front", "detail");
    this.detail.update();
    if (isEntered || !this.tree.node.checkVisibility()) requestAnimationFrame(() => this.detail.enter());
    else this.tree.focus(id);
  }

  close() {
    setAttribute(this.root, "data-front", "tree");
    this.tree.focus();
  }

  escape(event) {
    if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (this.detail.node.contains(document.activeElement)) this.close();
  }

  draw() {
    const { store } = this;
    const { link, canIntervene, asking } = store;
    if (link === "refused") document.querySelector("dialog[open]")?.close();
    redraw(this.link, link, () => [h("span", { class: `link-dot is-${link}` }), h("span", { text: say(`link-${link}`) })]);
    const counts = ["running", "queued", "waiting", "failed"].map((status) => [status, store.count(status)]).filter(([, n]) => n);
    setText(this.counts, counts.map(([status, n]) => `${say(`status-${status}`)}: ${n}`).join(" · "));
    document.title = asking.length ? say("title-asking") : counts.length && counts[0][0] === "running" ? say("title-running", { n: counts[0][1] }) : say("page");
    show(this.startFoot, canIntervene || link === "connecting");
    this.start.enable(link === "live" && canIntervene);
    this.drawCall(asking);
    this.tree.update();
    this.detail.update();
    for (const { id, title, wait } of asking) {
      const key = `${id}/${wait.prompt}`;
      if (!this.announced.has(key)) setText(this.region, say("told-question", { agent: title, question: wait.prompt }));
      this.announced.add(key);
    }
  }

  /** A question that waits elsewhere than before the person's eyes is named above everything. */
  drawCall(asking) {
    const elsewhere = asking.find((node) => !node.isSelected);
    redraw(this.call, elsewhere ? `${elsewhere.id}/${elsewhere.wait.prompt}` : "", () => elsewhere
      ? [icon("warning"), h("span", { class: "call-text truncate", text: elsewhere.wait.prompt }), button(say("to-question"), () => this.open(elsewhere.id, { isEntered: true }))]
      : []);
  }
}

/** Exchanges a link for the cookie that the page it leads to wants; what goes wrong the link's own page says. */
async function enter(link) {
  const answer = await fetch(link, { method: "POST" }).catch(() => null);
  location.replace(answer?.url ?? link);
}

const windows = new BroadcastChannel("live");
windows.addEventListener("message", () => location.reload());

/** Ends the cookie, for all of the person's windows. */
async function leave() {
  const answer = await fetch("/leave", { method: "POST" }).catch(() => null);
  windows.postMessage("left");
  if (answer?.ok) location.reload();
  else toast(say("not-live"), { isFailure: true });
}

await learnWords();
new App(document.querySelector("#app")).run();
