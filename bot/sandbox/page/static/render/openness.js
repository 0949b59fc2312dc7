// What a person has folded open stays open when the post is drawn anew, as a stream is all the time.

const MAX_REMEMBERED = 500;
const remembered = new Map();

/**
 * Give the `details` element the state that the person left it in, and keep note of changes: at
 * the click, since the event that tells of the change may come after the next drawing.
 */
export function keepOpenness(details, key) {
  if (remembered.has(key)) details.open = remembered.get(key);
  details.querySelector("summary").addEventListener("click", () => remember(key, !details.open));
  return details;
}

function remember(key, isOpen) {
  remembered.delete(key);
  remembered.set(key, isOpen);
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value);
}
