// Building DOM nodes. Text from outside only ever becomes text nodes and checked attributes.

const SVG = "http://www.w3.org/2000/svg";
const LIVE_SCHEMES = ["http:", "https:", "mailto:"];

/** An element. A property is set as an attribute; true sets an empty one, null and false none. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** As `el`, for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A fragment of the children that are there. */
export function fragment(...children) {
  const holder = document.createDocumentFragment();
  holder.append(...present(children));
  return holder;
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...present(children));
  return node;
}

function present(children) {
  const absent = [null, undefined, false, ""];
  return children.flat().filter((child) => !absent.includes(child));
}

/** The address if it may be a live link (http, https, mailto), else null. */
export function liveUrl(address) {
  if (typeof address !== "string" || !/^(https?:\/\/|mailto:)/i.test(address)) return null;
  const url = URL.parse(address);
  return url && LIVE_SCHEMES.includes(url.protocol) ? url.href : null;
}

/** The address if the page itself serves it, else null: nothing is loaded from elsewhere. */
export function ownUrl(address) {
  if (typeof address !== "string" || !address) return null;
  const url = URL.parse(address, document.baseURI);
  return url && url.origin === location.origin ? url.href : null;
}

/** A link to the outside; the label alone when the address may not be live. */
export function outsideLink(address, label, attributes = {}) {
  const href = liveUrl(address);
  if (href === null) return fragment(label);
  const link = { href, rel: "noopener noreferrer", target: "_blank", class: "k-link" };
  return el("a", { ...link, ...attributes }, label);
}

/** The text with its line breaks as `br`. */
export function lines(text) {
  const parts = text.split("\n").flatMap((line) => [el("br"), line]);
  return fragment(parts.slice(1));
}

let lastId = 0;

/** An id that no other element of the page has. */
export function freshId(prefix) {
  lastId += 1;
  return `k-${prefix}-${lastId}`;
}
