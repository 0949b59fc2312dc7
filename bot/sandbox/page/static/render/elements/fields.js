// What each interactive element holds: reading it, putting a value back, what is wrong with it.

const FIELDS = new WeakMap();

/**
 * Make `root` the field of the element: `read()` gives its value (null when empty), `write(value)`
 * puts one back, `problem()` says what is wrong with it, or null.
 */
export function registerField(root, node, place, { read, write, problem = () => null }) {
  if (typeof node.action_id === "string") root.dataset.actionId = node.action_id;
  if (typeof place.blockId === "string") root.dataset.blockId = place.blockId;
  root.classList.add("k-field");
  FIELDS.set(root, { type: node.type, read, write, problem });
  return root;
}

/** The fields in the element: `{root, actionId, blockId, type, read, write, problem}` each. */
export function fieldsIn(element) {
  return [...element.querySelectorAll(".k-field")].map((root) => ({
    root,
    actionId: root.dataset.actionId,
    blockId: root.dataset.blockId,
    ...FIELDS.get(root),
  }));
}

/** Attributes that name a control: by its label in an input block, else by what it says itself. */
export function naming(place, node, fallback) {
  if (place.labelId) {
    return { "aria-labelledby": place.labelId, "aria-describedby": place.describedBy };
  }
  const words = node.accessibility_label ?? node.placeholder?.text;
  return { "aria-label": typeof words === "string" && words ? words : fallback };
}
