/** The page's icons: strokes on a 20 by 20 grid, in the colour of the text around them. */

import { h, svg } from "./dom.js";

const STROKES = {
  hash: ["M7.5 3.5 6 16.5", "M14 3.5 12.5 16.5", "M3.8 7.5h13", "M3.2 12.5h13"],
  lock: ["M5 9h10v7.5H5z", "M7 9V6.5a3 3 0 0 1 6 0V9"],
  archive: ["M3.5 4.5h13v3h-13z", "M4.5 7.5v8.500h11V7.5", "M8 10.500h4"],
  close: ["m5 5 10 10", "M15 5 5 15"],
  back: ["m12 4.5-5.5 5.5 5.5 5.5"],
  next: ["m8 4.5 5.5 5.500L8 15.5"],
  down: ["M10 4v12", "m5 11 5 5 5-5"],
  send: ["M3.5 10 16.5 4l-4 12.5-3-5z", "m9.5 11.5 3-3"],
  clip: ["m15.8 9.3-5.6 5.600a3.6 3.6 0 0 1-5.1-5.100l6-6a2.4 2.4 0 0 1 3.4 3.400l-5.9 5.900a1.2 1.2 0 0 1-1.7-1.700l5.3-5.3"],
  smile: ["M10 2.800a7.2 7.2 0 1 0 0 14.4 7.2 7.2 0 0 0 0-14.400z", "M7 11.800c.7 1.2 1.7 1.8 3 1.800s2.3-.6 3-1.8", "M7.6 7.800v.5", "M12.4 7.800v.5"],
  smileAdd: ["M12.5 3.400A7 7 0 1 0 16.8 8.5", "M6.5 11.800c.7 1.2 1.7 1.8 3 1.800s2.3-.6 3-1.8", "M7.2 7.800v.5", "M11.8 7.800v.5", "M15.8 2.300v4.4", "M13.6 4.500H18"],
  at: ["M10 6.800a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.400z", "M13.2 7v4.200a1.9 1.9 0 0 0 3.8 0V10a7 7 0 1 0-2.8 5.6"],
  bolt: ["M11 2.8 4.8 11.500h4.400L8.5 17.200l6.7-9h-4.600z"],
  reply: ["M3.5 4.500h13v9h-7l-3.5 3v-3H3.500z", "M7 8h6", "M7 10.500h4"],
  more: ["M5 10h.01", "M10 10h.01", "M15 10h.01"],
  edit: ["M4 16l.8-3.500L13 4.300l2.7 2.7-8.2 8.200z", "m11.5 5.8 2.7 2.7"],
  trash: ["M4 5.500h12", "M8 5.500v-2h4v2", "M5.5 5.500l.7 11h7.600l.7-11", "M8.5 8.500v5", "M11.5 8.500v5"],
  link: ["M8.5 11.500a3 3 0 0 0 4.3 0l2.7-2.700a3 3 0 1 0-4.3-4.300l-1 1", "M11.5 8.500a3 3 0 0 0-4.3 0l-2.7 2.700a3 3 0 1 0 4.3 4.300l1-1"],
  copy: ["M7 7h9.500v9.500H7z", "M4.5 13h-1V3.500H13v1"],
  eye: ["M2.5 10S5 4.8 10 4.8 17.5 10 17.5 10 15 15.2 10 15.2 2.5 10 2.5 10z", "M10 7.700a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.600z"],
  search: ["M8.8 3.500a5.3 5.3 0 1 0 0 10.6 5.3 5.3 0 0 0 0-10.600z", "m12.7 12.7 3.8 3.8"],
  sun: ["M10 6.500a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z", "M10 2v1.5", "M10 16.500V18", "M2 10h1.5", "M16.5 10H18", "m4.3 4.3 1.1 1.1", "m14.6 14.6 1.1 1.1", "m4.3 15.7 1.1-1.1", "m14.6 5.4 1.1-1.1"],
  moon: ["M16.5 12.200A7 7 0 0 1 7.8 3.500a7 7 0 1 0 8.7 8.700z"],
  pulse: ["M2.5 10.500h3.500l2-6 4 11 2-5h3.5"],
  open: ["M11.5 3.500h5v5", "m16.5 3.5-7 7", "M14.5 11.500v5h-11v-11h5"],
  download: ["M10 3.500v9", "m6 9 4 4 4-4", "M3.5 16.500h13"],
  file: ["M5 2.800h6.500L15.5 7v10.200H5z", "M11.5 2.800V7h4"],
  stop: ["M6 6h8v8H6z"],
  warning: ["M10 3.2 17.5 16.500h-15z", "M10 8v4", "M10 14.300v.01"],
  check: ["m4 10.5 4 4 8-9"],
  toApp: ["M3.5 10h11", "m10.5 6 4 4-4 4"],
  fromApp: ["M16.5 10h-11", "m9.5 6-4 4 4 4"],
  thumbUp: ["M3.5 9h3v7h-3zM6.5 9.5 9.5 3c1.6 0 2 1.2 1.8 2.4L11 7.5h4.2c1 0 1.6.9 1.4 1.8l-1.2 5.4c-.2.8-.8 1.3-1.6 1.3H6.5z"],
  thumbDown: ["M3.5 4h3v7h-3zM6.5 10.5 9.5 17c1.6 0 2-1.2 1.8-2.4L11 12.5h4.2c1 0 1.6-.9 1.4-1.8l-1.2-5.4c-.2-.8-.8-1.3-1.6-1.3H6.5z"],
  success: ["M6.8 10.3l2.2 2.2 4.2-4.7M10 17.5a7.5 7.5 0 100-15 7.5 7.5 0 000 15z"],
  error: ["M7.5 7.5l5 5M12.5 7.5l-5 5M10 17.5a7.5 7.5 0 100-15 7.5 7.5 0 000 15z"],
  pending: ["M10 16.5a6.5 6.5 0 100-13 6.5 6.5 0 000 13z"],
  fold: ["M5 8l5 5 5-5"],
  people: ["M7.5 4a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.400z", "M2.8 16c.3-2.8 2-4.3 4.7-4.300s4.4 1.5 4.7 4.3", "M13 4.300a2.5 2.5 0 0 1 0 4.8", "M14.3 11.900c1.7.5 2.7 1.9 2.9 4.1"],
};

/** An icon by name, hidden from screen readers: the control around it carries the words. */
export function icon(name) {
  const strokes = STROKES[name].map((d) => svg("path", { d }));
  return svg("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, strokes);
}

/** A button that shows an icon and is named by `label`; `run(button)` is called at a press. */
export function iconButton(label, name, run, look = "") {
  const self = h("button", {
    type: "button", class: `icon-button ${look}`, "aria-label": label, title: label, on: { click: () => run(self) },
  }, icon(name));
  return self;
}

/** A button with words. */
export function button(words, run, look = "is-small") {
  return h("button", { type: "button", class: `button ${look}`, text: words, on: { click: run } });
}

/** The mark of the bot: a small constellation, three points around one. */
export function botMark() {
  return svg("svg", { viewBox: "0 0 36 36", class: "bot-mark", "aria-hidden": "true" },
    svg("path", { d: "M18 18 10 11.5M18 18l9-4.5M18 18l-1.5 9.5", class: "rays" }),
    svg("circle", { cx: "18", cy: "18", r: "4.6", class: "core" }),
    svg("circle", { cx: "9.5", cy: "11", r: "2.6" }),
    svg("circle", { cx: "27.5", cy: "13.2", r: "2.6" }),
    svg("circle", { cx: "16.3", cy: "28", r: "2.6" }));
}
