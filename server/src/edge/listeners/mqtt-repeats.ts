const EVERY_MS = 30_000;
const MOST_SENDERS = 50_000;

/** Lets through what changed, and what did not change only now and then. */
export class Repeats {
  /** By sender, the one that was stored longest ago first. */
  readonly #stored = new Map<string, { readonly said: string; readonly at: number }>();

  isNews(sender: string, said: string, now: number): boolean {
    const last = this.#stored.get(sender);
    return last === undefined || last.said !== said || now - last.at >= EVERY_MS || now < last.at;
  }

  /** Only what is durable counts: what was not stored comes again, and must not be taken for a repeat then. */
  stored(sender: string, said: string, now: number): void {
    this.#stored.delete(sender);
    if (this.#stored.size >= MOST_SENDERS) this.#stored.delete(this.#stored.keys().next().value!);
    this.#stored.set(sender, { said, at: now });
  }
}
