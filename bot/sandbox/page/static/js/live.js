/** The two ways to the server: the stream of facts for the present person, and what they do. */

const RETRY_MS = [300, 600, 1200, 2500, 5000];

/** Feeds the store; `connect(person)` replaces the connection, `null` leaves the choice to the server. */
export class LiveConnection {
  constructor(store) {
    this.store = store;
    this.failures = 0;
  }

  connect(person) {
    clearTimeout(this.timer);
    this.source?.close();
    this.person = person;
    const source = new EventSource(person ? `/events?as=${encodeURIComponent(person)}` : "/events");
    source.addEventListener("snapshot", (event) => this.begin(source, JSON.parse(event.data)));
    source.addEventListener("change", (event) => this.store.change(JSON.parse(event.data)));
    source.addEventListener("error", () => this.lose(source));
    this.source = source;
  }

  begin(source, facts) {
    if (source !== this.source) return;
    this.failures = 0;
    this.store.replace(facts);
  }

  /** The browser reconnects by itself after a cut, not after a refusal: then this does. */
  lose(source) {
    if (source !== this.source) return;
    this.store.setLink(this.store.team ? "lost" : "connecting");
    if (source.readyState !== EventSource.CLOSED) return;
    const waitMs = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)];
    this.failures += 1;
    const person = this.store.team ? this.person : null;
    this.timer = setTimeout(() => this.connect(person), waitMs);
  }
}

/** Something that could not be done; its message is a sentence for the person. */
export class ActError extends Error {}

/** Acts as a person, with files or without; resolves to the server's answer. Raises `ActError`. */
export async function act(person, name, fields, files = []) {
  const response = await reach(`/acts/${name}`, request({ as: person, ...fields }, files));
  const answer = await response.json().catch(() => ({}));
  if (response.ok && answer.ok !== false) return answer;
  throw new ActError(answer.error || `The sandbox refused this (${response.status}).`);
}

function request(fields, files) {
  const form = new FormData();
  form.append("body", JSON.stringify(fields));
  for (const file of files) form.append("file", file, file.name);
  return { method: "POST", body: form };
}

async function reach(address, sent) {
  try {
    return await fetch(address, sent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ActError("The sandbox could not be reached. Is it still running?");
  }
}
