// Numbers as people read them.

const COMPACT_FROM = 100_000;
const UNITS = ["bytes", "KB", "MB", "GB"];
const STEP = 1024;

/** A number in few characters: `1,250`, `2.4M`. */
export function shortNumber(value) {
  const notation = Math.abs(value) >= COMPACT_FROM ? "compact" : "standard";
  return value.toLocaleString("en-US", { notation, maximumFractionDigits: 2 });
}

/** A size: `312 bytes`, `4.1 KB`. */
export function sizeText(bytes) {
  let value = bytes;
  let unit = 0;
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}
