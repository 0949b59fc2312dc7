/** Building DOM nodes. Text never becomes markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. `props`: `class`, `text`, `dataset`, `on` (listeners by event), anything else is an
 * attribute: `true` sets it empty, `false`, `null` and `undefined` leave it out.
 */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** As `h`, for SVG. */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (name === "text") element.textContent = value;
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else setAttribute(element, name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** Sets, changes or removes an attribute, and touches the DOM only when it differs. */
export function setAttribute(element, name, value) {
  if (value === false || value === null || value === undefined) element.removeAttribute(name);
  else {
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** Sets the text of an element, and touches the DOM only when it differs. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Shows or hides an element by its `hidden` attribute. */
export function show(element, isShown) {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** Fills the element anew if `mark` differs from the one it was filled for; hides it when there is nothing. */
export function redraw(element, mark, content) {
  if (element.drawnFor === mark) return;
  element.drawnFor = mark;
  const nodes = [content()].flat().filter(Boolean);
  element.replaceChildren(...nodes);
  show(element, nodes.length > 0);
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

/** Text areas that are as high as their text, to a share of the window. */
export function grow(area) {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight, innerHeight * 0.4)}px`;
}

/** The address if it may be a live link out of the page, else null. */
export function liveUrl(address) {
  const url = typeof address === "string" ? URL.parse(address) : null;
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
}

/** A link to the outside; the words alone when the address may not be live. */
export function outsideLink(address, words, props = {}) {
  const href = liveUrl(address);
  if (href === null) return h("span", { text: words });
  return h("a", { href, rel: "noopener noreferrer", target: "_blank", ...props }, words);
}

/** A size as posts say it, too: "180 kB", "2.4 MB". */
export function sizeLabel(bytes) {
  const kilobytes = Math.max(1, Math.round(bytes / 1000));
  return kilobytes < 1000 ? `${kilobytes} kB` : `${(kilobytes / 1000).toFixed(1)} MB`;
}

/** Arrow keys: one step down or up, else 0. */
export function stepOf(event) {
  return { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
}

/** Calls `work` before the next frame; a hidden page has no frames. */
export function nextFrame(work) {
  if (document.hidden) setTimeout(work, 50);
  else requestAnimationFrame(work);
}
