import { DEVICES, type FleetReport, reportsOf } from './reports.ts';

/** What became of a report: acknowledged, to be sent again later, or no answer at all. */
type Answer = 'acknowledged' | 'later' | 'none';

/** Devices that send their reports one by one, and send again whatever was not acknowledged. */
export class Sender {
  readonly acknowledged: FleetReport[] = [];
  /** Answers that no device should get: 500, or 503 and 507 that do not say when to come again. */
  readonly wrongAnswers: string[] = [];
  readonly #keys: readonly string[];
  readonly #source: Generator<FleetReport>;
  readonly #unsent: FleetReport[][] = Array.from({ length: DEVICES }, () => []);

  constructor(keys: readonly string[], seed: number) {
    this.#keys = keys;
    this.#source = reportsOf(seed);
  }

  /** Sends until `goOn` returns false or the server is gone. Each device sends at least once. */
  async send(addressOf: (device: number) => string, goOn: () => boolean, acknowledged = () => {}): Promise<void> {
    await Promise.all(
      this.#keys.map(async (key, device) => {
        do {
          const next = this.#next(device);
          const answer = await this.#report(addressOf(device), key, next);
          if (answer === 'none') return;
          if (answer === 'later') continue;
          this.#unsent[device]!.shift();
          this.acknowledged.push(next);
          acknowledged();
        } while (goOn());
      }),
    );
  }

  /** Reports that were made and not acknowledged. */
  get pending(): number {
    return this.#unsent.reduce((sum, { length }) => sum + length, 0);
  }

  async #report(address: string, key: string, { body }: FleetReport): Promise<Answer> {
    const headers = { authorization: key, 'content-type': 'application/json' };
    try {
      const answer = await fetch(`${address}/ingest/reports`, { method: 'POST', headers, body });
      const text = await answer.text();
      if (answer.status === 200) return 'acknowledged';
      const isPolite = [429, 503, 507].includes(answer.status) && answer.headers.has('retry-after');
      if (!isPolite) this.wrongAnswers.push(`${answer.status} ${text.slice(0, 200)}`);
      return 'later';
    } catch {
      return 'none';
    }
  }

  #next(device: number): FleetReport {
    while (this.#unsent[device]!.length === 0) {
      const made = this.#source.next().value as FleetReport;
      this.#unsent[made.device]!.push(made);
    }
    return this.#unsent[device]![0]!;
  }
}
