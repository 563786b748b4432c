import type { Knock, KnownTracker, TrackerDesk, TrackerReceipt, UndecodedFrame } from '../../../calls.ts';
import type { Report } from '../../../reports.ts';

/** A domain for tests of listeners, which stores when it is told to. */
export class FakeDesk implements TrackerDesk {
  readonly known = new Map<string, KnownTracker>();
  readonly received: { readonly deviceId: number; readonly report: Report }[] = [];
  readonly knocks: Knock[] = [];
  readonly strange: UndecodedFrame[] = [];
  /** While set, nothing becomes durable. */
  held: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  outcome: TrackerReceipt['outcome'] | Error = 'stored';

  hold(): void {
    this.held = Promise.withResolvers<void>();
  }

  release(): void {
    this.held?.resolve();
    this.held = undefined;
  }

  get times(): (number | undefined)[] {
    return this.received.flatMap(({ report }) => report.points.map(({ timestamp }) => timestamp));
  }

  async find(names: readonly string[], key: string | undefined): Promise<KnownTracker | undefined> {
    return (
      (key === undefined ? undefined : this.known.get(key)) ?? names.map((name) => this.known.get(name)).find(Boolean)
    );
  }

  async receive({ deviceId }: KnownTracker, report: Report): Promise<TrackerReceipt> {
    await this.held?.promise;
    if (this.outcome instanceof Error) throw this.outcome;
    if (this.outcome === 'stored') this.received.push({ deviceId, report });
    return { outcome: this.outcome, hasPending: false };
  }

  knocked(knock: Knock): void {
    this.knocks.push(knock);
  }

  undecoded(frame: UndecodedFrame): void {
    this.strange.push({ ...frame, bytes: Buffer.from(frame.bytes) });
  }
}
