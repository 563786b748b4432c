const SMOOTH_MS = 21;
const SLOW_MS = 28;
const MOST_SKIPPED = 5;
const GOOD_FRAMES = 40;

/**
 * How often to draw what glides. Where the machine keeps up, at every frame; where a drawn frame comes late, at every
 * second, third … one, so that the page itself stays quick.
 */
export class FramePace {
  #lastAt = 0;
  #skips = 0;
  #sinceDrawn = 0;
  #good = 0;

  /** Asked once for each frame in a row: whether this one is drawn. */
  isTurn(at: number): boolean {
    const tookMs = at - this.#lastAt;
    this.#lastAt = at;
    // Longer than that was no frame in a row, but a pause.
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
