// A surface that floats at its anchor, above everything else, until something else is used.

const GAP_PX = 4;
const EDGE_PX = 8;

/** Show the popup at the anchor. `onClose` is called once, however it closes; returns `close`. */
export function openPopup(popup, anchor, onClose) {
  popup.popover = "manual";
  popup.showPopover();
  settle(popup, anchor);
  const stop = new AbortController();
  const close = () => {
    if (stop.signal.aborted) return;
    stop.abort();
    if (popup.matches(":popover-open")) popup.hidePopover();
    onClose();
  };
  const away = (event) => {
    if (!popup.contains(event.target) && !anchor.contains(event.target)) close();
  };
  document.addEventListener("pointerdown", away, { capture: true, signal: stop.signal });
  document.addEventListener("focusin", away, { signal: stop.signal });
  window.addEventListener("scroll", away, { capture: true, signal: stop.signal });
  window.addEventListener("resize", close, { signal: stop.signal });
  return close;
}

/** Below the anchor, or above it where there is more room; never over the window's edge. */
export function settle(popup, anchor) {
  const at = anchor.getBoundingClientRect();
  popup.style.minWidth = `${at.width}px`;
  const size = popup.getBoundingClientRect();
  const below = innerHeight - at.bottom - GAP_PX - EDGE_PX;
  const isAbove = size.height > below && at.top > below;
  const top = isAbove ? at.top - size.height - GAP_PX : at.bottom + GAP_PX;
  const left = Math.min(at.left, innerWidth - size.width - EDGE_PX);
  popup.style.top = `${Math.max(EDGE_PX, top)}px`;
  popup.style.left = `${Math.max(EDGE_PX, left)}px`;
}
