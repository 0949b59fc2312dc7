// Bar, area and line charts as SVG, over one axis of categories.

import { svg } from "../dom.js";
import { shortNumber } from "../numbers.js";

const WIDTH = 480;
const HEIGHT = 220;
const PAD = { left: 52, right: 8, top: 8, bottom: 28 };
const PLOT = { width: WIDTH - PAD.left - PAD.right, height: HEIGHT - PAD.top - PAD.bottom };
const LABEL_CHARS = 14;
const CHAR_PX = 6.5;
const STEPS = [1, 2, 2.5, 5, 10];
const TICKS = 4;

/** The chart; `kind` is bar, area or line. */
export function axisChart(kind, data) {
  const scale = scaleOf(data);
  const drawings = { bar: bars, area: areas, line: lineStrokes };
  const label = data.yLabel === null ? PAD.left : PAD.left + 14;
  const viewBox = `${PAD.left - label} 0 ${WIDTH + label - PAD.left} ${HEIGHT + (data.xLabel ? 16 : 0)}`;
  return svg(
    "svg",
    { viewBox, class: "k-axis-chart" },
    grid(scale),
    xLabels(data),
    drawings[kind](data, scale),
    axisNames(data),
  );
}

function scaleOf({ series }) {
  const values = series.flatMap((each) => each.values.filter((value) => value !== null));
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const rough = (high - low || 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((size) => size * power >= rough) ?? 10) * power;
  const [bottom, top] = [Math.floor(low / step) * step, Math.ceil(high / step) * step || step];
  const y = (value) => PAD.top + PLOT.height * (1 - (value - bottom) / (top - bottom));
  const count = Math.round((top - bottom) / step);
  return { y, ticks: Array.from({ length: count + 1 }, (_, at) => bottom + at * step) };
}

function grid({ y, ticks }) {
  return ticks.flatMap((tick) => [
    svg("line", {
      x1: PAD.left,
      x2: WIDTH - PAD.right,
      y1: y(tick),
      y2: y(tick),
      class: tick === 0 ? "k-axis" : "k-grid",
    }),
    svg("text", { x: PAD.left - 8, y: y(tick) + 4, "text-anchor": "end" }, shortNumber(tick)),
  ]);
}

const bandOf = (categories) => PLOT.width / categories.length;
const centre = (categories, at) => PAD.left + bandOf(categories) * (at + 0.5);

/** As many names as fit side by side. */
function xLabels({ categories }) {
  const longest = Math.min(LABEL_CHARS, Math.max(...categories.map(({ length }) => length)));
  const every = Math.max(1, Math.ceil((longest * CHAR_PX + 8) / bandOf(categories)));
  return categories.map((name, at) => {
    if (at % every) return null;
    const words = name.length > LABEL_CHARS ? `${name.slice(0, LABEL_CHARS - 1)}…` : name;
    return svg(
      "text",
      { x: centre(categories, at), y: HEIGHT - PAD.bottom + 18, "text-anchor": "middle" },
      words,
    );
  });
}

function axisNames({ xLabel, yLabel }) {
  const middle = PAD.top + PLOT.height / 2;
  return [
    xLabel &&
      svg(
        "text",
        {
          x: PAD.left + PLOT.width / 2,
          y: HEIGHT + 10,
          "text-anchor": "middle",
          class: "k-axis-name",
        },
        xLabel,
      ),
    yLabel &&
      svg(
        "text",
        {
          x: 0,
          y: middle,
          transform: `rotate(-90 0 ${middle})`,
          "text-anchor": "middle",
          class: "k-axis-name",
        },
        yLabel,
      ),
  ];
}

function bars({ categories, series }, { y }) {
  const group = bandOf(categories) * 0.72;
  const width = Math.min(48, group / series.length);
  return series.flatMap(({ name, values }, index) =>
    values.map((value, at) => {
      if (value === null) return null;
      const x = centre(categories, at) - (width * series.length) / 2 + index * width;
      const [top, bottom] = [y(Math.max(0, value)), y(Math.min(0, value))];
      const box = {
        x,
        y: top,
        width: Math.max(1, width - 2),
        height: Math.max(1, bottom - top),
        rx: 2,
      };
      return titled(
        svg("rect", { ...box, class: tone(index, "k-bar") }),
        name,
        categories[at],
        value,
      );
    }),
  );
}

function lineStrokes({ categories, series }, { y }) {
  return series.flatMap(({ name, values }, index) => {
    const line = svg("path", { d: pathOf(values, categories, y), class: tone(index, "k-line") });
    const dots = values.map((value, at) => {
      if (value === null) return null;
      const dot = svg("circle", {
        cx: centre(categories, at),
        cy: y(value),
        r: 3.5,
        class: tone(index, "k-dot"),
      });
      return titled(dot, name, categories[at], value);
    });
    return [line, ...dots];
  });
}

function areas(data, scale) {
  const { categories, series } = data;
  const fills = series.map(({ values }, index) => {
    const known = values.map((value) => value ?? 0);
    const [first, last] = [centre(categories, 0), centre(categories, categories.length - 1)];
    const floor = scale.y(0);
    const d = `${pathOf(known, categories, scale.y)}L${last} ${floor}L${first} ${floor}Z`;
    return svg("path", { d, class: tone(index, "k-area") });
  });
  return [...fills, ...lineStrokes(data, scale)];
}

/** The line through the values; a missing one interrupts it. */
function pathOf(values, categories, y) {
  let isDown = false;
  return values
    .map((value, at) => {
      if (value === null) isDown = false;
      const command =
        value === null
          ? ""
          : `${isDown ? "L" : "M"}${centre(categories, at).toFixed(1)} ${y(value).toFixed(1)}`;
      isDown = value !== null;
      return command;
    })
    .join("");
}

const tone = (index, kind) => `${kind} k-tone-${(index % 8) + 1}`;

function titled(node, name, category, value) {
  node.append(svg("title", {}, `${name}, ${category}: ${value}`));
  return node;
}
