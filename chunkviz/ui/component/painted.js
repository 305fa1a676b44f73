/**
 * Says on the viewer's element how often it was painted and how long that took the last time: what tests and benchmarks
 * wait for.
 */

export class Painted {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.root.dataset.painted = "0";
    /** `painted` counts views of the server, `followed` what the browser drew before its answer. */
    this.counts = { painted: 0, followed: 0 };
  }

  /**
   * The script is done; once the frame is painted, say so.
   *
   * @param {number} began `performance.now()` when the script began
   * @param {"painted" | "followed"} what
   */
  since(began, what) {
    const script = performance.now() - began;
    requestAnimationFrame(() =>
      afterPaint(() => {
        const { dataset } = this.root;
        dataset.repaintMs = (performance.now() - began).toFixed(1);
        dataset.scriptMs = script.toFixed(1);
        dataset[what] = String(++this.counts[what]);
      }),
    );
  }
}

/**
 * Called in a frame's callback: do something once that frame is painted. A timer would come later, behind other frames.
 * @param {() => void} act
 */
function afterPaint(act) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    act();
  };
  port2.postMessage(null);
}
