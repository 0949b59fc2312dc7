/** Text areas that are as high as their text. */

const MAX_SHARE = 0.4;

export function grow(area) {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight, innerHeight * MAX_SHARE)}px`;
}
