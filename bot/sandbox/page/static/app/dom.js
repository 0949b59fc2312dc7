/** Building DOM nodes: the only way in which this page makes elements. Text never becomes markup. */

/**
 * An element. `props`: `class`, `text`, `dataset`, `on` (listeners by event), anything else is an
 * attribute: `true` sets it empty, `false`, `null` and `undefined` leave it out.
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    setProp(element, name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function setProp(element, name, value) {
  if (name === "class") element.className = value;
  else if (name === "text") element.textContent = value;
  else if (name === "dataset") Object.assign(element.dataset, value);
  else if (name === "on") listen(element, value);
  else setAttribute(element, name, value);
}

function listen(element, listeners) {
  for (const [event, listener] of Object.entries(listeners)) {
    element.addEventListener(event, listener);
  }
}

/** Sets, changes or removes an attribute, and touches the DOM only when it differs. */
export function setAttribute(element, name, value) {
  if (value === false || value === null || value === undefined) {
    element.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Sets the text of an element, and touches the DOM only when it differs. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Shows or hides an element by its `hidden` attribute. */
export function show(element, isShown) {
  if (element.hidden === isShown) element.hidden = !isShown;
}

let lastId = 0;

/** An id that no other element of this page has. */
export function freshId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

/** The elements inside that Tab would reach, in order. */
export function tabStops(root) {
  const stops = root.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"])',
  );
  return [...stops].filter((stop) => !stop.disabled && stop.offsetParent !== null);
}
