/** The data_visualization block as lines, with its legend, and its figures as a table. */

import { h, svg } from "../../shared/dom.js";
import { shortNumber } from "../words.js";
import { scrolled } from "./table.js";

const WIDTH = 480;
const HEIGHT = 220;
const PAD = { left: 52, right: 8, top: 14, bottom: 28 };
const PLOT = { width: WIDTH - PAD.left - PAD.right, height: HEIGHT - PAD.top - PAD.bottom };
const STEPS = [1, 2, 2.5, 5, 10];
const TICKS = 4;
const TONES = 8;
const LABEL_CHARS = 14;
const CHAR_PX = 8;

const DASHES = [null, "7 4", "2 3", "9 3 2 3"];

/** Throws for another kind than lines, which is then shown as JSON. */
export function chart({ title, chart: given }) {
  if (given.type !== "line") throw new TypeError(given.type);
  const [drawn, ...below] = plot(given);
  const { x_label: across, y_label: up } = given.axis_config ?? {};
  const axes = [up, across].filter(Boolean).join(" · ");
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "drawn", role: "img",
    "aria-label": `${title}: ${given.type} chart. The figures are in the table below.`,
  }, drawn);
  return h("figure", { class: "chart card" }, h("figcaption", { text: title }), axes ? h("p", { class: "muted", text: axes }) : null, picture, below);
}

/** What has axes: the nodes of the drawing, and what stands below it. */
function plot({ series: given, axis_config: axis = {} }) {
  const categories = axis.categories ?? [...new Set(given.flatMap(({ data }) => data.map(({ label }) => label)))];
  const valueOf = (data, category) => data.find(({ label }) => label === category)?.value ?? null;
  const series = given.map(({ name, data }) => ({ name, values: categories.map((category) => valueOf(data, category)) }));
  const scale = scaleOf(series.flatMap(({ values }) => values.filter((value) => value !== null)));
  const marks = lines(categories, series, scale);
  return [[grid(scale), names(categories), marks].flat(), legend(series), figures(categories, series)];
}

function scaleOf(values) {
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const rough = (high - low || 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((size) => size * power >= rough) ?? 10) * power;
  const [bottom, top] = [Math.floor(low / step) * step, Math.ceil(high / step) * step || step];
  const y = (value) => PAD.top + PLOT.height * (1 - (value - bottom) / (top - bottom));
  const ticks = Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_, at) => bottom + at * step);
  return { y, ticks };
}

function grid({ y, ticks }) {
  return ticks.flatMap((tick) => [
    svg("line", { x1: PAD.left, x2: WIDTH - PAD.right, y1: y(tick), y2: y(tick), class: tick === 0 ? "axis" : "grid" }),
    svg("text", { x: PAD.left - 8, y: y(tick) + 4, "text-anchor": "end" }, shortNumber(tick)),
  ]);
}

const bandOf = (categories) => PLOT.width / categories.length;
const centre = (categories, at) => PAD.left + bandOf(categories) * (at + 0.5);

/** As many names as fit side by side. */
function names(categories) {
  const longest = Math.min(LABEL_CHARS, Math.max(...categories.map(({ length }) => length)));
  const every = Math.max(1, Math.ceil((longest * CHAR_PX + 8) / bandOf(categories)));
  return categories.map((name, at) => {
    if (at % every) return null;
    const shown = name.length > LABEL_CHARS ? `${name.slice(0, LABEL_CHARS - 1)}…` : name;
    return svg("text", { x: centre(categories, at), y: HEIGHT - PAD.bottom + 18, "text-anchor": "middle" }, shown);
  });
}

/** A line through each run of points, with a mark and its figure at each. */
function lines(categories, series, { y }) {
  return series.flatMap(({ name, values }, index) => {
    const points = values.map((value, at) => (value === null ? null : `${centre(categories, at)} ${y(value)}`));
    const d = points.map((point, at) => point && `${points[at - 1] ? "L" : "M"}${point}`).filter(Boolean).join("");
    return [
      svg("path", { d, class: `line ${toneOf(index)}`, "stroke-dasharray": DASHES[index % DASHES.length] }),
      ...values.map((value, at) => value === null ? null : svg("circle", { cx: centre(categories, at), cy: y(value), r: 3, class: toneOf(index) },
        svg("title", {}, `${name}, ${categories[at]}: ${value}`))),
    ];
  });
}

const toneOf = (index) => `tone-${(index % TONES) + 1}`;

/** The key of a line shows its dashes, so that nobody needs the colours. */
function legend(series) {
  if (series.length === 1) return null;
  const key = (index) => svg("svg", { viewBox: "0 0 28 8", class: "key-line" },
    svg("path", { d: "M0 4h28", class: `line ${toneOf(index)}`, "stroke-dasharray": DASHES[index % DASHES.length] }));
  return h("ul", { class: "legend" }, series.map(({ name }, index) => h("li", {}, key(index), name)));
}

function figures(categories, series) {
  const head = h("tr", {}, ["", ...categories].map((name) => h("th", { scope: "col", text: name })));
  const rows = series.map(({ name, values }) => h("tr", {}, h("th", { scope: "row", text: name }),
    values.map((value) => h("td", { class: "align-right", text: value === null ? "–" : shortNumber(value) }))));
  return h("details", { class: "muted" }, h("summary", { text: "Show the figures" }),
    scrolled("Figures", h("table", {}, h("thead", {}, head), h("tbody", {}, rows))));
}
