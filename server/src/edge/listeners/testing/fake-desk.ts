import type {
  CommandToSend,
  ImpossibleJourney,
  Knock,
  KnownTracker,
  TrackerDesk,
  TrackerReceipt,
  UndecodedFrame,
} from '../../../calls.ts';
import type { Report } from '../../../reports.ts';

/** A domain for tests of listeners, which stores when it is told to. */
export class FakeDesk implements TrackerDesk {
  readonly known = new Map<string, KnownTracker>();
  readonly received: { readonly deviceId: number; readonly report: Report }[] = [];
  readonly knocks: Knock[] = [];
  readonly journeys: ImpossibleJourney[] = [];
  readonly strange: UndecodedFrame[] = [];
  /** What waits to be sent, and what became of it. */
  readonly commands: CommandToSend[] = [];
  readonly fates = new Map<number, string>();
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
    return { outcome: this.outcome, hasPending: this.commands.length > 0 };
  }

  async nextCommand(): Promise<CommandToSend | undefined> {
    const command = this.commands.shift();
    if (command !== undefined) this.fates.set(command.messageId, 'written');
    return command;
  }

  async commandReturned(messageId: number): Promise<void> {
    this.fates.set(messageId, 'returned');
  }

  async commandFailed(_deviceId: number, messageId: number, failure: string): Promise<void> {
    this.fates.set(messageId, failure);
  }

  async commandConfirmed(
    _deviceId: number,
    messageId: number,
    reply: { readonly text: string; readonly isFailure: boolean } | undefined,
  ): Promise<void> {
    const said = reply === undefined ? '' : ` by ${reply.text}`;
    this.fates.set(messageId, `${reply?.isFailure ? 'refused' : 'confirmed'}${said}`);
  }

  knocked(knock: Knock): void {
    this.knocks.push(knock);
  }

  cloned(journey: ImpossibleJourney): void {
    this.journeys.push(journey);
  }

  undecoded(frame: UndecodedFrame): void {
    this.strange.push({ ...frame, bytes: Buffer.from(frame.bytes) });
  }
}
