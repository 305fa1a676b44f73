/**
 * What is told once things have come to rest: many changes in a row, as from a key that is held down, make one message.
 *
 * @template T
 */
export class Resting {
  /**
   * @param {number} wait milliseconds without a change after which the last one is told
   * @param {(value: T) => void} tell
   */
  constructor(wait, tell) {
    this.wait = wait;
    this.tell = tell;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** @param {T} value */
  change(value) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell(value), this.wait);
  }

  /** Forget a change that was not told yet. */
  drop() {
    clearTimeout(this.timer);
  }
}
