// What the page cannot show is shown as labelled JSON: nothing that an app sent is dropped.

import { el } from "./dom.js";
import { isObject, Malformed } from "./shapes.js";

const MAX_JSON_CHARS = 20_000;
const MAX_DEPTH = 40;

/** A labelled box with the value as JSON. */
export function unknownBox(label, value) {
  return el(
    "figure",
    { class: "unknown" },
    el("figcaption", {}, label),
    el("pre", { tabindex: "0", "aria-label": "JSON" }, el("code", {}, pretty(value))),
  );
}

function pretty(value) {
  let json;
  try {
    json = JSON.stringify(value, null, 2) ?? String(value);
  } catch {
    return "(nested too deeply to be written out)";
  }
  return json.length > MAX_JSON_CHARS ? `${json.slice(0, MAX_JSON_CHARS)}\n…` : json;
}

/** What `type` a value has, for labels. */
export function typeName(value) {
  return isObject(value) && typeof value.type === "string" ? value.type : "without a type";
}

/**
 * The node that the kind of the value renders to. A value of unknown kind, a malformed one, and
 * one that is nested too deeply become boxes; this never throws.
 */
export function renderKind(noun, kinds, value, ...context) {
  const type = typeName(value);
  if (!Object.hasOwn(kinds, type)) return unknownBox(`Unknown ${noun}: ${type}`, value);
  return guarded(`${noun}: ${type}`, value, () => kinds[type](value, ...context));
}

/** As `renderKind`, where there is one kind and the value need not name it. */
export function renderOnly(noun, kind, render, value, ...context) {
  if (isObject(value) && value.type !== undefined && value.type !== kind) {
    return unknownBox(`Unknown ${noun}: ${typeName(value)}`, value);
  }
  return guarded(noun, value, () => {
    if (!isObject(value)) throw new Malformed("it is no object");
    return render(value, ...context);
  });
}

let depth = 0;

function guarded(label, value, render) {
  depth += 1;
  try {
    if (depth > MAX_DEPTH) throw new Malformed("it is nested too deeply");
    return render();
  } catch (error) {
    const reason = error instanceof Malformed ? error.message : "it cannot be read";
    return unknownBox(`Malformed ${label} (${reason})`, value);
  } finally {
    depth -= 1;
  }
}
