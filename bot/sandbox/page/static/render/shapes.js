// Reading JSON of unknown shape. A field that is not as it must be raises `Malformed`.

export class Malformed extends Error {}

export const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const KINDS = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number" && Number.isFinite(value),
  list: Array.isArray,
  object: isObject,
};

/** The field, of the wanted kind. */
export function need(holder, name, kind) {
  if (!isObject(holder)) throw new Malformed("it is no object");
  const value = holder[name];
  if (value === undefined || value === null) throw new Malformed(`${name} is missing`);
  if (!KINDS[kind](value)) throw new Malformed(`${name} is no ${kind}`);
  return value;
}

/** The field, of the wanted kind, or null when it is not there. */
export function maybe(holder, name, kind) {
  const value = holder[name];
  return value === undefined || value === null ? null : need(holder, name, kind);
}

/** The field, which must be one of the choices; the first one when it is not there. */
export function choice(holder, name, choices) {
  const value = maybe(holder, name, "string") ?? choices[0];
  if (!choices.includes(value)) throw new Malformed(`${name} is none of ${choices.join(", ")}`);
  return value;
}
