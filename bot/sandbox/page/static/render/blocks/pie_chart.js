// A pie chart as SVG.

import { svg } from "../dom.js";

const RADIUS = 46;
const FULL = 2 * Math.PI;

/** Slices clockwise from the top, coloured by `k-tone-N`. */
export function pieChart({ series }) {
  const values = series.map((each) => each.values[0]);
  const total = values.reduce((sum, value) => sum + value, 0);
  let from = 0;
  const slices = series.map(({ name }, index) => {
    const to = from + values[index] / total;
    const slice = sliceNode(from, to, index);
    slice.append(svg("title", {}, `${name}: ${values[index]}`));
    from = to;
    return slice;
  });
  return svg("svg", { viewBox: "-50 -50 100 100", class: "k-pie" }, slices);
}

function sliceNode(from, to, index) {
  const tone = { class: `k-slice k-tone-${(index % 8) + 1}` };
  if (to - from > 0.9999) return svg("circle", { r: RADIUS, ...tone });
  const [x1, y1] = at(from);
  const [x2, y2] = at(to);
  const isLarge = to - from > 0.5 ? 1 : 0;
  return svg("path", {
    d: `M0 0L${x1} ${y1}A${RADIUS} ${RADIUS} 0 ${isLarge} 1 ${x2} ${y2}Z`,
    ...tone,
  });
}

function at(share) {
  const angle = share * FULL - FULL / 4;
  return [Math.cos(angle), Math.sin(angle)].map((part) => (part * RADIUS).toFixed(2));
}
