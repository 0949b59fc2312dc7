// Pickers of dates and times: the browser's own fields.

import { el } from "../dom.js";
import { maybe } from "../shapes.js";
import { act } from "./acting.js";
import { naming, registerField } from "./fields.js";

const MS = 1000;

/** A day, `YYYY-MM-DD`. */
export function datePicker(node, place) {
  return picker(node, place, "date", "Date", maybe(node, "initial_date", "string"), TEXT);
}

/** A time of day, `HH:mm`; its zone is told where the app names one. */
export function timePicker(node, place) {
  const zone = maybe(node, "timezone", "string");
  const input = picker(node, place, "time", "Time", maybe(node, "initial_time", "string"), TEXT);
  if (zone) input.title = `In the time zone ${zone}`;
  return input;
}

/** A moment, in seconds since 1970. */
export function dateTimePicker(node, place) {
  const initial = maybe(node, "initial_date_time", "number");
  return picker(node, place, "datetime-local", "Date and time", initial, MOMENT);
}

const TEXT = { toInput: (value) => value, fromInput: (text) => text || null };
const MOMENT = {
  toInput: (epochS) => {
    const local = new Date(epochS * MS - new Date(epochS * MS).getTimezoneOffset() * 60 * MS);
    return Number.isNaN(local.getTime()) ? "" : local.toISOString().slice(0, 16);
  },
  fromInput: (text) => (text ? Math.floor(new Date(text).getTime() / MS) : null),
};

function picker(node, place, type, name, initial, { toInput, fromInput }) {
  const self = el("input", {
    type,
    class: "k-input k-picker",
    autofocus: node.focus_on_load === true,
    ...naming(place, node, name),
  });
  const read = () => fromInput(self.value);
  const write = (value) => {
    self.value = value === null ? "" : toInput(value);
  };
  write(initial);
  let settled = read();
  self.addEventListener("change", async () => {
    if (await act(place, node, read(), self)) settled = read();
    else write(settled);
  });
  return registerField(self, node, place, { read, write });
}
