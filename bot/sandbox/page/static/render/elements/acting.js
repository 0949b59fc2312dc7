// Using an element: asking first where the app wants that, then telling the app, once at a time.

import { confirmed } from "./confirm.js";

/**
 * Report the use of the element with its value. The control is busy until the app has answered.
 * Gives false when the person took it back in the confirmation.
 */
export async function act(place, node, value, control) {
  if (!place.fires) return true;
  if (!(await confirmed(node, place.ctx))) return false;
  if (typeof node.action_id !== "string") return true;
  control.setAttribute("aria-busy", "true");
  try {
    await place.ctx.onAction({ action_id: node.action_id, block_id: place.blockId, value });
  } finally {
    control.removeAttribute("aria-busy");
  }
  return true;
}
