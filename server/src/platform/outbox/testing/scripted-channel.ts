import type { Channel, Destination, Parcel, SendOutcome } from '../channel.ts';

export const SENT: SendOutcome = { kind: 'sent' };
export const DOWN: SendOutcome = { kind: 'down', reason: 'no connection' };
export const REFUSED: SendOutcome = { kind: 'refused', reason: 'answered 400' };

export type ScriptedAnswer = (parcel: Parcel, destination: Destination) => SendOutcome;

/** A channel that records what it sends, for tests. */
export class ScriptedChannel implements Channel {
  readonly batch: number;
  readonly concurrency: number;
  readonly isOrderKept: boolean;
  /** Every attempt that reached the receiver. */
  readonly attempts: { target: string; text: string; group: string; messageId: string }[] = [];
  /** The scripted outcomes; by default everything is delivered. */
  answer: ScriptedAnswer = () => SENT;
  /** Sends wait for this promise. */
  gate: Promise<void> = Promise.resolve();
  /** The maximum number of concurrent sends to one destination. */
  most = 0;
  isClosed = false;
  readonly #underWay = new Map<number, number>();

  constructor({ batch = 1, concurrency = 4, isOrdered = false } = {}) {
    this.batch = batch;
    this.concurrency = concurrency;
    this.isOrderKept = isOrdered;
  }

  isOrdered(): boolean {
    return this.isOrderKept;
  }

  async send(destination: Destination, parcels: readonly Parcel[]): Promise<readonly SendOutcome[]> {
    const { id, target } = destination;
    const count = (this.#underWay.get(id) ?? 0) + 1;
    this.#underWay.set(id, count);
    this.most = Math.max(this.most, count);
    for (const { content, group, messageId } of parcels) {
      this.attempts.push({ target, text: content.text, group, messageId });
    }
    const outcomes = parcels.map((parcel) => this.answer(parcel, destination));
    await this.gate;
    // The response of another machine never arrives in the same turn.
    await new Promise((resolve) => setImmediate(resolve));
    this.#underWay.set(id, this.#underWay.get(id)! - 1);
    return outcomes;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  texts(target?: string): string[] {
    return this.attempts.filter((attempt) => target === undefined || attempt.target === target).map(({ text }) => text);
  }
}
