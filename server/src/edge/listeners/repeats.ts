const EVERY_MS = 30_000;
const MOST_SENDERS = 50_000;

/**
 * Lets through what changed, and what did not change only now and then. What is of the time that was told last, or before
 * it, is sent again or late: it is let through.
 */
export class Repeats {
  /** By sender, the one that was told longest ago first. */
  readonly #told = new Map<string, { readonly said: string; readonly at: number }>();

  isNews(sender: string, said: string, now: number): boolean {
    const last = this.#told.get(sender);
    return last === undefined || last.said !== said || now - last.at >= EVERY_MS || now <= last.at;
  }

  told(sender: string, said: string, now: number): void {
    this.#told.delete(sender);
    if (this.#told.size >= MOST_SENDERS) this.#told.delete(this.#told.keys().next().value!);
    this.#told.set(sender, { said, at: now });
  }

  /** What was told last did not become durable: whatever comes next is news. */
  forget(sender: string): void {
    this.#told.delete(sender);
  }
}
