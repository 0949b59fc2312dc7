/** What was typed and not sent: for each person one draft a channel and one a thread. */

const KEY = "sandbox.drafts";

/** Texts survive a reload of the page, chosen files do not. */
export class Drafts {
  constructor() {
    this.texts = readTexts();
    this.files = new Map();
  }

  text(place) {
    return this.texts[place] ?? "";
  }

  setText(place, text) {
    if (text) this.texts[place] = text;
    else delete this.texts[place];
    sessionStorage.setItem(KEY, JSON.stringify(this.texts));
  }

  filesOf(place) {
    return this.files.get(place) ?? [];
  }

  setFiles(place, files) {
    this.files.set(place, files);
  }

  /** Gives back what could not be sent, before whatever was typed since. */
  restore(place, text, files) {
    const typedSince = this.text(place);
    this.setText(place, typedSince ? `${text}\n${typedSince}` : text);
    this.setFiles(place, [...files, ...this.filesOf(place)]);
  }

  /** What was written in one place goes to another. */
  move(from, to) {
    const text = this.text(from);
    const files = this.filesOf(from);
    this.setText(from, "");
    this.setFiles(from, []);
    if (text || files.length > 0) this.restore(to, text, files);
  }

  has(place) {
    return this.text(place).trim() !== "" || this.filesOf(place).length > 0;
  }
}

/** The name under which a person's draft of a channel, or of a thread in it, is kept. */
export function draftPlace(person, channel, thread = null) {
  return [person, channel, thread].filter(Boolean).join("/");
}

function readTexts() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
