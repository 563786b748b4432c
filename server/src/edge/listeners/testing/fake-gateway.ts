import type {
  CommandToSend,
  ContestedChannel,
  ImpossibleJourney,
  KnownTracker,
  TrackerGateway,
  TrackerReceipt,
  UndecodedFrame,
  UnknownTracker,
} from '../../../calls.ts';
import type { Report } from '../../../reports.ts';

/** A fake domain for tests of listeners, which stores on request. */
export class FakeGateway implements TrackerGateway {
  readonly known = new Map<string, KnownTracker>();
  readonly received: { readonly deviceId: number; readonly report: Report }[] = [];
  readonly unknownTrackers: UnknownTracker[] = [];
  readonly journeys: ImpossibleJourney[] = [];
  readonly contests: ContestedChannel[] = [];
  readonly strange: UndecodedFrame[] = [];
  /** Why messages are held at the moment. */
  heldFor: string | undefined;
  /** Waiting messages, and their results. */
  readonly commands: CommandToSend[] = [];
  readonly fates = new Map<number, string>();
  /** While set, nothing becomes durable. */
  held: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  outcome: TrackerReceipt['outcome'] | Error = 'stored';

  /** How many reports arrived, stored or not. */
  calls = 0;

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
    this.calls++;
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

  async commandsHeld(_deviceId: number, reason: string): Promise<boolean> {
    if (this.commands.length > 0) this.heldFor = reason;
    return this.commands.length > 0;
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

  noteUnknown(unknownTracker: UnknownTracker): void {
    this.unknownTrackers.push(unknownTracker);
  }

  cloned(journey: ImpossibleJourney): void {
    this.journeys.push(journey);
  }

  contested(channel: ContestedChannel): void {
    this.contests.push(channel);
  }

  undecoded(frame: UndecodedFrame): void {
    this.strange.push({ ...frame, bytes: Buffer.from(frame.bytes) });
  }
}
