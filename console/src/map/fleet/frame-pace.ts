const SMOOTH_MS = 21;
const SLOW_MS = 28;
const MOST_SKIPPED = 5;
const GOOD_FRAMES = 40;

/**
 * The frame rate of animations: every frame if the machine is fast enough; otherwise every second, third … one, so that
 * the page stays responsive.
 */
export class FramePace {
  #lastAt = 0;
  #skips = 0;
  #sinceDrawn = 0;
  #good = 0;

  /** Called once per consecutive frame: whether to draw it. */
  isTurn(at: number): boolean {
    const tookMs = at - this.#lastAt;
    this.#lastAt = at;
    // A longer time was a pause, not a slow frame.
    if (tookMs < 400) this.#learn(tookMs);
    this.#sinceDrawn++;
    if (this.#sinceDrawn <= this.#skips) return false;
    this.#sinceDrawn = 0;
    return true;
  }

  #learn(tookMs: number): void {
    if (tookMs > SLOW_MS) {
      this.#good = 0;
      this.#skips = Math.min(MOST_SKIPPED, this.#skips + 1);
    } else if (tookMs < SMOOTH_MS && ++this.#good > GOOD_FRAMES) {
      this.#good = 0;
      this.#skips = Math.max(0, this.#skips - 1);
    }
  }
}
