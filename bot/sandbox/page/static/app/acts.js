/** What the present person does, as requests to the server; a refusal is an `ActError` with a sentence. */

export class ActError extends Error {}

/** `acts.run(name, body)` acts as the present person; other methods name the common acts. */
export class Acts {
  constructor(store) {
    this.store = store;
  }

  /** Resolves to the server's answer. Raises `ActError`. */
  async run(name, body = {}) {
    const text = JSON.stringify({ as: this.store.me, ...body });
    return this.post(name, { body: text, headers: { "Content-Type": "application/json" } });
  }

  async say(message, files = []) {
    if (files.length === 0) return this.run("say", message);
    const form = new FormData();
    form.append("body", JSON.stringify({ as: this.store.me, ...message }));
    for (const file of files) form.append("file", file, file.name);
    return this.post("say", { body: form });
  }

  async post(name, request) {
    const response = await reach(`/acts/${name}`, { method: "POST", ...request });
    const answer = await response.json().catch(() => ({}));
    if (!response.ok || answer.ok === false) {
      throw new ActError(answer.error || `The sandbox refused this (${response.status}).`);
    }
    return answer;
  }
}

async function reach(address, request) {
  try {
    return await fetch(address, request);
  } catch (error) {
    if (error instanceof TypeError) {
      throw new ActError("The sandbox could not be reached. Is it still running?");
    }
    throw error;
  }
}
