/** The WebSocket to the bot: JSON messages both ways, kept up for as long as the page is open. */

const RETRY_MS = [300, 600, 1200, 2500, 5000];
const MAX_PENDING = 100;
const REFUSED = 1008;

/**
 * `onMessage(message)` gets what the server says, in order; `onLink(link)` is told "connecting",
 * "live", "lost" or "refused". After a cut the page asks for what came behind the last event it has.
 */
export class Connection {
  constructor(address, { onMessage, onLink }) {
    this.address = address;
    this.onMessage = onMessage;
    this.onLink = onLink;
    this.failures = 0;
    this.lastRequest = 0;
    this.lastEvent = null;
    this.wasLive = false;
    this.pending = new Map();
    addEventListener("online", () => this.connect());
    addEventListener("offline", () => this.lose(this.socket));
  }

  get isLive() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    clearTimeout(this.timer);
    if (this.isLive || this.socket?.readyState === WebSocket.CONNECTING) return;
    const socket = new WebSocket(this.address);
    this.socket = socket;
    socket.addEventListener("open", () => this.begin(socket));
    socket.addEventListener("message", ({ data }) => socket === this.socket && this.take(JSON.parse(data)));
    socket.addEventListener("close", ({ code }) => this.lose(socket, code));
  }

  begin(socket) {
    if (socket !== this.socket) return;
    if (this.lastEvent !== null) this.send({ type: "resume", after: this.lastEvent });
  }

  take(message) {
    if (message.eventId !== undefined && message.eventId !== null) this.lastEvent = message.eventId;
    if (message.type === "ready") {
      this.failures = 0;
      this.wasLive = true;
      this.onLink("live");
    }
    const outcome = this.pending.get(message.requestId);
    if (["done", "error"].includes(message.type)) this.pending.delete(message.requestId);
    if (message.type === "done") outcome?.done();
    else if (message.type === "error" && outcome) outcome.refused(message.error);
    else this.onMessage(message);
  }

  /** Says something; `done()` or `refused(sentence)` is called once the server has told what became of it. */
  send(message, outcome = null) {
    this.lastRequest += 1;
    const requestId = String(this.lastRequest);
    if (outcome) this.pending.set(requestId, outcome);
    if (this.pending.size > MAX_PENDING) this.pending.delete(this.pending.keys().next().value);
    this.socket.send(JSON.stringify({ ...message, requestId }));
  }

  /** A connection that is gone is opened anew, a little later each time; one that is refused is not. */
  async lose(socket, code = null) {
    if (!socket || socket !== this.socket) return;
    this.socket = null;
    socket.close();
    for (const { refused } of this.pending.values()) refused(null);
    this.pending.clear();
    this.onLink(this.wasLive ? "lost" : "connecting");
    if (code === REFUSED || (this.failures > 0 && (await isClosed()))) return this.onLink("refused");
    const waitMs = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(() => this.connect(), waitMs);
  }
}

/** Whether the page itself would not be given any more: a browser does not tell why a socket fails. */
async function isClosed() {
  try {
    return [401, 403].includes((await fetch(location.href, { cache: "no-store" })).status);
  } catch {
    return false;
  }
}
