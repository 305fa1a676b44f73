/** Two windows at the same step, whichever of them was turned: who was told of a step does not tell it back. */

export class Follower {
  /** @param {number} step where this window begins */
  constructor(step) {
    this.step = step;
    /** The step this window was told of last and is not at yet. @type {number | null} */
    this.target = null;
  }

  /**
   * Another window is at `step`.
   *
   * @param {number} step
   * @returns {boolean} whether this window has to turn
   */
  asked(step) {
    if (step === (this.target ?? this.step)) return false;
    this.target = step;
    return true;
  }

  /**
   * This window shows `step`.
   *
   * @param {number} step
   * @returns {boolean} whether the others have to be told: somebody turned it here
   */
  shown(step) {
    const turned = step !== this.step;
    this.step = step;
    // On the way to where it was told to go, or there.
    if (this.target !== null) {
      if (this.target === step) this.target = null;
      return false;
    }
    return turned;
  }
}
