/** The live connection: one EventSource for the present person, opened again whenever it ends. */

const RETRY_MS = [300, 600, 1200, 2500, 5000];

/** Feeds the store; `connect(person)` replaces the connection, `null` leaves the choice to the server. */
export class LiveConnection {
  constructor(store) {
    this.store = store;
    this.source = null;
    this.person = null;
    this.failures = 0;
    this.timer = 0;
  }

  connect(person) {
    this.close();
    this.person = person;
    const address = person ? `/events?as=${encodeURIComponent(person)}` : "/events";
    const source = new EventSource(address);
    source.addEventListener("snapshot", (event) => this.begin(source, JSON.parse(event.data)));
    source.addEventListener("change", (event) => this.store.apply(JSON.parse(event.data)));
    source.addEventListener("error", () => this.lose(source));
    this.source = source;
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
  }

  begin(source, world) {
    if (source !== this.source) return;
    this.failures = 0;
    this.store.link = "open";
    this.store.replace(world);
  }

  /** The browser reconnects by itself after a cut, not after a refusal: then this does. */
  lose(source) {
    if (source !== this.source) return;
    this.store.setLink(this.store.world ? "lost" : "connecting");
    if (source.readyState !== EventSource.CLOSED) return;
    const waitMs = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)];
    this.failures += 1;
    const person = this.store.world ? this.person : null;
    this.timer = setTimeout(() => this.connect(person), waitMs);
  }
}
