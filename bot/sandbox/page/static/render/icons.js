// The few drawings that blocks need. Other icons of Slack are shown as the emoji of their kind.

import { svg } from "./dom.js";

const PATHS = {
  more: "M4 10h.01M10 10h.01M16 10h.01",
  down: "M5 8l5 5 5-5",
  check: "M4.5 10.5l3.5 3.5 7.5-8",
  close: "M5 5l10 10M15 5L5 15",
  left: "M12.5 4.5L7 10l5.5 5.5",
  right: "M7.5 4.5L13 10l-5.5 5.5",
  trash: "M4 6h12M8 6V4h4v2M5.5 6l.8 10h7.4l.8-10M8.5 9v4.5M11.5 9v4.5",
  "thumbs-up":
    "M3.5 9h3v7h-3zM6.5 9.5L9.5 3c1.6 0 2 1.2 1.8 2.4L11 7.5h4.2c1 0 1.6.9 1.4 1.8l-1.2 5.4c-.2.8-.8 1.3-1.6 1.3H6.5z",
  "thumbs-down":
    "M3.5 4h3v7h-3zM6.5 10.5L9.5 17c1.6 0 2-1.2 1.8-2.4L11 12.5h4.2c1 0 1.6-.9 1.4-1.8l-1.2-5.4c-.2-.8-.8-1.3-1.6-1.3H6.5z",
  info: "M10 9v5M10 6.2v.1M10 17.5a7.5 7.5 0 100-15 7.5 7.5 0 000 15z",
  warning: "M10 3L2.5 16.5h15zM10 8.5v4M10 14.4v.1",
  error: "M7.5 7.5l5 5M12.5 7.5l-5 5M10 17.5a7.5 7.5 0 100-15 7.5 7.5 0 000 15z",
  success: "M6.8 10.3l2.2 2.2 4.2-4.7M10 17.5a7.5 7.5 0 100-15 7.5 7.5 0 000 15z",
  pending: "M10 16.5a6.5 6.5 0 100-13 6.5 6.5 0 000 13z",
  file: "M5 2.5h6.5L15.5 6.5v11H5zM11.5 2.5v4h4",
  image: "M3 4h14v12H3zM3 13l4-4 4 4 2.5-2.5L17 14M13.2 7.6v.1",
  download: "M10 3v9M6.5 8.5L10 12l3.5-3.5M4 16h12",
  open: "M8 4H4v12h12v-4M11 3.5h5.5V9M16.5 3.5L9.5 10.5",
  play: "M6.5 4.5l9 5.5-9 5.5z",
  link: "M8.5 11.5l3-3M7 9L5 11a2.8 2.8 0 004 4l2-2M13 11l2-2a2.8 2.8 0 00-4-4L9 7",
};

const EMOJI_OF_ICON = {
  archive: "card_index_dividers",
  book: "closed_book",
  bookmark: "bookmark",
  bot: "robot_face",
  bug: "bug",
  calendar: "calendar",
  call: "phone",
  clipboard: "clipboard",
  code: "computer",
  comment: "speech_balloon",
  compass: "compass",
  cube: "package",
  edit: "pencil2",
  email: "email",
  "eye-open": "eye",
  flag: "triangular_flag_on_post",
  folder: "file_folder",
  gear: "gear",
  globe: "globe_with_meridians",
  heart: "heart",
  key: "key",
  lightbulb: "bulb",
  map: "world_map",
  mobile: "iphone",
  pin: "pushpin",
  plus: "heavy_plus_sign",
  refresh: "arrows_counterclockwise",
  rocket: "rocket",
  save: "floppy_disk",
  screen: "desktop_computer",
  sparkle: "sparkles",
  star: "star",
  "star-filled": "star",
  tag: "label",
  upload: "outbox_tray",
  user: "bust_in_silhouette",
};

/** The drawing, without a name of its own; null when there is none. */
export function drawing(name) {
  if (!Object.hasOwn(PATHS, name)) return null;
  const path = svg("path", { d: PATHS[name] });
  return svg("svg", { viewBox: "0 0 20 20", class: "k-icon", "aria-hidden": "true" }, path);
}

/** The emoji that stands for an icon of Slack, or null. */
export function emojiOfIcon(name) {
  return Object.hasOwn(EMOJI_OF_ICON, name) ? EMOJI_OF_ICON[name] : null;
}
