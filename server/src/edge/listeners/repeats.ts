const EVERY_MS = 30_000;
const MOST_SENDERS = 50_000;

/** Passes on changed values, and unchanged ones only occasionally. */
export class Repeats {
  /** By sender, least recently passed on first. */
  readonly #reported = new Map<string, { readonly said: string; readonly at: number }>();

  /** By the time of reception. Several values may have the same time, and a clock may be set back. */
  isNews(sender: string, said: string, now: number): boolean {
    const last = this.#reported.get(sender);
    return last === undefined || last.said !== said || now - last.at >= EVERY_MS || now < last.at;
  }

  /** By the sender's own time. Repetitions with the time of the last value and late values are passed on, too. */
  isNewsOf(time: number, sender: string, said: string): boolean {
    return time === this.#reported.get(sender)?.at || this.isNews(sender, said, time);
  }

  reported(sender: string, said: string, now: number): void {
    this.#reported.delete(sender);
    if (this.#reported.size >= MOST_SENDERS) this.#reported.delete(this.#reported.keys().next().value!);
    this.#reported.set(sender, { said, at: now });
  }

  /** The last value did not become durable: the next one is passed on. */
  forget(sender: string): void {
    this.#reported.delete(sender);
  }
}
