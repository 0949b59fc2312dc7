/** A scrolled list that stays at its bottom while the reader is there, and stays put while not. */

const NEAR_PX = 40;

/** Call `settle()` after each change of the content; `onMove(isAtBottom)` hears of the reader. */
export class Scroller {
  constructor(element, content, onMove = () => {}) {
    this.element = element;
    this.onMove = onMove;
    this.isAtBottom = true;
    this.top = 0;
    element.addEventListener("scroll", () => this.notice(), { passive: true });
    new ResizeObserver(() => this.settle()).observe(content);
    new ResizeObserver(() => this.settle()).observe(element);
  }

  notice() {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    this.top = scrollTop;
    this.isAtBottom = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    this.onMove(this.isAtBottom);
  }

  /** The element is back in the page: not every browser knows where it was. */
  restore() {
    if (this.isAtBottom) this.settle();
    else this.element.scrollTop = this.top;
  }

  settle() {
    if (this.isAtBottom) this.element.scrollTop = this.element.scrollHeight;
  }

  toBottom() {
    this.isAtBottom = true;
    this.settle();
    this.onMove(true);
  }
}
