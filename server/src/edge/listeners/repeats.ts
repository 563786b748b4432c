const EVERY_MS = 30_000;
const MOST_SENDERS = 50_000;

/** Lets through what changed, and what did not change only now and then. */
export class Repeats {
  /** By sender, the one that was told longest ago first. */
  readonly #told = new Map<string, { readonly said: string; readonly at: number }>();

  /** By the time at which it was heard. Many may be heard at one time; a clock may be set back. */
  isNews(sender: string, said: string, now: number): boolean {
    const last = this.#told.get(sender);
    return last === undefined || last.said !== said || now - last.at >= EVERY_MS || now < last.at;
  }

  /** By the sender's own time. What is of the time that was told last is sent again, and what is of a time before is late. */
  isNewsOf(time: number, sender: string, said: string): boolean {
    return time === this.#told.get(sender)?.at || this.isNews(sender, said, time);
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
