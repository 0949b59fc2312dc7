// Link definitions, `[label]: https://address`, which may stand anywhere outside of code.

const DEFINITION =
  /^ {0,3}\[([^\[\]]{1,200})\]:\s+<?((?:https?:\/\/|mailto:)[^\s<>]+)>?(?:\s+["'(].*["')])?\s*$/;
const FENCE = /^ {0,3}(```|~~~)/;

/** The addresses by label, and the lines without the definitions. */
export function definitionsIn(lines) {
  const definitions = new Map();
  let fence = null;
  const rest = lines.filter((line) => {
    const mark = FENCE.exec(line)?.[1] ?? null;
    if (mark !== null && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    const match = fence === null ? DEFINITION.exec(line) : null;
    if (match === null) return true;
    const label = normalised(match[1]);
    if (!definitions.has(label)) definitions.set(label, match[2]);
    return false;
  });
  return { definitions, rest };
}

/** Labels are the same whatever their case and spacing. */
export function normalised(label) {
  return label.trim().replace(/\s+/g, " ").toLowerCase();
}
