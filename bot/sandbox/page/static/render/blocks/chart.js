// The data_visualization block: a chart with its title, legend, and its figures as a table.

import { el } from "../dom.js";
import { shortNumber } from "../numbers.js";
import { choice, isObject, Malformed, maybe, need } from "../shapes.js";
import { axisChart } from "./axis_chart.js";
import { pieChart } from "./pie_chart.js";

const TONES = 8;

/** The class that colours the nth part of a chart. */
export const toneClass = (index) => `k-tone-${(index % TONES) + 1}`;

export function dataVisualization(block) {
  const title = need(block, "title", "string");
  const chart = need(block, "chart", "object");
  const kind = choice(chart, "type", ["pie", "bar", "area", "line"]);
  const data = kind === "pie" ? pieData(chart) : seriesData(chart);
  const drawn = kind === "pie" ? pieChart(data) : axisChart(kind, data);
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", `${title}: ${kind} chart. The figures are in the table below.`);
  return el(
    "figure",
    { class: "k-chart" },
    el("figcaption", {}, title),
    el("div", { class: `k-chart-body k-chart-${kind}` }, drawn, legend(data)),
    figures(data),
  );
}

function pieData(chart) {
  const segments = need(chart, "segments", "list").map(point);
  if (segments.length === 0 || !segments.every(({ value }) => value > 0))
    throw new Malformed("segments are not positive");
  return {
    categories: ["Value"],
    series: segments.map(({ label, value }) => ({ name: label, values: [value] })),
  };
}

function seriesData(chart) {
  const axis = maybe(chart, "axis_config", "object") ?? {};
  const series = need(chart, "series", "list").map((each) => ({
    name: need(each, "name", "string"),
    points: need(each, "data", "list").map(point),
  }));
  const named = (maybe(axis, "categories", "list") ?? []).map(categoryName);
  const categories = named.length
    ? named
    : [...new Set(series.flatMap(({ points }) => points.map(({ label }) => label)))];
  if (series.length === 0 || categories.length === 0) throw new Malformed("series are empty");
  return {
    categories,
    series: series.map(({ name, points }) => ({
      name,
      values: categories.map((category) => valueAt(points, category)),
    })),
    xLabel: maybe(axis, "x_label", "string"),
    yLabel: maybe(axis, "y_label", "string"),
  };
}

function categoryName(category) {
  if (typeof category !== "string") throw new Malformed("a category is not a string");
  return category;
}

function valueAt(points, category) {
  return points.find(({ label }) => label === category)?.value ?? null;
}

function point(entry) {
  if (!isObject(entry)) throw new Malformed("a value is no object");
  return { label: need(entry, "label", "string"), value: need(entry, "value", "number") };
}

function legend({ series }) {
  const total = series.reduce((sum, { values }) => sum + (values[0] ?? 0), 0);
  const isPie = series.every(({ values }) => values.length === 1) && series.length > 1;
  if (series.length === 1 && !isPie) return null;
  const items = series.map(({ name, values }, index) => {
    const share = isPie ? ` ${Math.round((100 * values[0]) / total)}%` : "";
    return el(
      "li",
      {},
      el("span", { class: `k-key ${toneClass(index)}` }),
      name,
      el("span", { class: "k-muted" }, share),
    );
  });
  return el("ul", { class: "k-legend" }, items);
}

function figures({ categories, series }) {
  const head = ["", ...categories].map((name) => el("th", { scope: "col" }, name));
  const rows = series.map(({ name, values }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, name),
      values.map((value) =>
        el("td", { class: "k-right" }, value === null ? "–" : shortNumber(value)),
      ),
    ),
  );
  const table = el(
    "table",
    { class: "k-table" },
    el("thead", {}, el("tr", {}, head)),
    el("tbody", {}, rows),
  );
  return el(
    "details",
    { class: "k-figures" },
    el("summary", {}, "Show the figures"),
    el("div", { class: "k-table-scroll" }, table),
  );
}
