/** The WebSocket to the bot: JSON messages both ways, kept up for as long as the page is open. */

const RETRY_MS = [300, 600, 1200, 2500, 5000];
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
    this.unsettled = new Map();
    this.lastEvent = null;
    this.wasLive = false;
    this.pending = new Map();
    addEventListener("online", () => this.connect());
    addEventListener("offline", () => this.lose(this.socket));
  }

  connect() {
    clearTimeout(this.timer);
    if (this.socket?.readyState <= WebSocket.OPEN) return;
    const socket = new WebSocket(this.address);
    this.socket = socket;
    socket.addEventListener("open", () => {
      if (socket === this.socket && this.lastEvent !== null) this.send({ type: "resume", after: this.lastEvent });
    });
    socket.addEventListener("message", ({ data }) => socket === this.socket && this.take(JSON.parse(data)));
    socket.addEventListener("close", ({ code }) => this.lose(socket, code));
  }

  take(message) {
    this.lastEvent = message.eventId ?? this.lastEvent;
    if (message.type === "ready") {
      this.failures = 0;
      this.wasLive = true;
      this.onLink("live");
    }
    const outcome = ["done", "error"].includes(message.type) && this.pending.get(message.requestId);
    if (!outcome) return this.onMessage(message);
    this.pending.delete(message.requestId);
    outcome(message);
  }

  /**
   * Says something. Resolves to the server's `done` or `error`; to nothing where the connection goes before.
   * What was not done keeps its id when it is said again, so that it is never done twice.
   */
  async send(message) {
    const said = JSON.stringify(message);
    const requestId = this.unsettled.get(said) ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
    this.unsettled.delete(said);
    this.socket.send(JSON.stringify({ ...message, requestId }));
    const answer = await new Promise((resolve) => this.pending.set(requestId, resolve));
    if (answer?.type !== "done") this.unsettled.set(said, requestId);
    return answer;
  }

  /** A connection that is gone is opened anew, a little later each time; one that is refused is not. */
  async lose(socket, code = null) {
    if (!socket || socket !== this.socket) return;
    this.socket = null;
    socket.close();
    for (const outcome of this.pending.values()) outcome(null);
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
