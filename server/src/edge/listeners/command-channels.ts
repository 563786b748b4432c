import type { ChannelState, HeldChannel, ReportingIdentity, TrackerGateway, TrackerLink } from '../../calls.ts';
import type { EncodedCommand, TrackerCommand, TrackerProtocol } from '../protocols/trackers/tracker.ts';

/** A connection over which commands can be sent to a device now. */
export interface CommandLine {
  readonly link: TrackerLink;
  readonly transport: TrackerLink['transport'];
  /** The device of the connection; undefined if unknown. */
  readonly known: ReportingIdentity | undefined;
  /** Undefined while no command for this device can be sent over it. */
  protocolFor(deviceId: number): TrackerProtocol | undefined;
  /** Undefined if the protocol does not support the command. */
  encode(command: TrackerCommand): EncodedCommand | undefined;
  /** False if writing failed. */
  sendCommand(deviceId: number, bytes: Buffer): boolean;
  /** Checks whether the other end is still reachable. */
  probe(): void;
  /** Closes the connection. */
  release(): void;
}

/** State of a connection that identifies as a device. */
interface Claim {
  readonly joinedAt: number;
  lastDataAt: number;
  /** The longest time between two frames of the device on this connection. */
  longestGapMs: number;
  /** Reason why it receives no commands. */
  refusal: string | undefined;
  /** Whether the holder also sent data while this was open. Then it never becomes the holder: it may be that of an attacker. */
  isRival: boolean;
}

interface Channel {
  readonly claims: Map<CommandLine, Claim>;
  holder: CommandLine | undefined;
  reportedAt: number;
  /** When a connection sent data that is not tracked because there are too many. */
  crowdedAt: number;
}

/** The connection that receives the commands of a device, or the reason why none does. */
export type Addressed = { readonly line: CommandLine } | { readonly held: string } | undefined;

/** A connection that is silent for this many of its intervals loses the channel. */
const SILENT_INTERVALS = 3;
/** The interval is unknown before the second frame, and a parked vehicle reports less often than before. */
const LEAST_INTERVAL_MS = { tcp: 180_000, udp: 60_000 };
const MOST_SILENT_MS = 86_400_000;
/** Maximum number of connections tracked for one device; further ones can report, but receive no commands. */
const MOST_CLAIMS = 16;
const NOTIFY_MS = 86_400_000;
const CONTESTED =
  'Held: two connections identify themselves as this device, and it is not certain which one is the tracker. It is sent once the later one is closed or silent.';
const ABANDONED =
  'Held: the connection that received the commands of this device is closed or silent, and the others were open at the same time. It is sent over the next connection. Release the command channel if this is the device.';

/**
 * Decides which connection receives the commands of a device. An identity is not a secret: a later connection with the
 * same identity can report, but receives no commands while the earlier one is alive. It takes over the channel only if
 * the earlier one has sent nothing since: a tracker that connects anew may leave a connection that is not closed.
 */
export class CommandChannels {
  readonly #channels = new Map<number, Channel>();
  readonly #gateway: Pick<TrackerGateway, 'contested'>;
  /** What is known of the devices that a connection at another node names too. */
  readonly #elsewhere = new Map<number, ChannelState>();

  constructor(gateway: Pick<TrackerGateway, 'contested'>) {
    this.#gateway = gateway;
  }

  has(deviceId: number): boolean {
    return this.#channels.has(deviceId);
  }

  /** Records a frame of the device. True if the connection is new for the device. */
  spoke(deviceId: number, line: CommandLine, refusal: string | undefined, now: number): boolean {
    let channel = this.#channels.get(deviceId);
    if (channel === undefined) {
      const never = Number.NEGATIVE_INFINITY;
      channel = { claims: new Map(), holder: undefined, reportedAt: never, crowdedAt: never };
      this.#channels.set(deviceId, channel);
    }
    const claim = channel.claims.get(line);
    if (claim === undefined) {
      if (channel.claims.size >= MOST_CLAIMS && !forgetSilent(channel, now)) {
        channel.crowdedAt = now;
        return false;
      }
      channel.holder?.probe();
      channel.claims.set(line, { joinedAt: now, lastDataAt: now, longestGapMs: 0, refusal, isRival: false });
      this.#holderOf(channel, now);
      if (refusal !== undefined) this.#notify(deviceId, channel, line, now);
      return true;
    }
    if (channel.claims.size > 1) this.#compare(deviceId, channel, line, claim, now);
    claim.longestGapMs = Math.max(claim.longestGapMs, now - claim.lastDataAt);
    claim.lastDataAt = now;
    claim.refusal = refusal;
    return false;
  }

  /** True if the device has other connections. */
  left(deviceId: number, line: CommandLine): boolean {
    const channel = this.#channels.get(deviceId);
    if (!channel?.claims.delete(line)) return false;
    if (channel.holder === line) channel.holder = undefined;
    if (channel.claims.size > 0) return true;
    this.#channels.delete(deviceId);
    this.#elsewhere.delete(deviceId);
    return false;
  }

  /** The connections of a device, as far as they named it until then. */
  linesOf(deviceId: number, joinedUntil = Number.POSITIVE_INFINITY): CommandLine[] {
    const claims = [...(this.#channels.get(deviceId)?.claims ?? [])];
    return claims.filter(([, { joinedAt }]) => joinedAt <= joinedUntil).map(([line]) => line);
  }

  /** The devices that have a connection which may receive commands, and until when it counts as alive. */
  held(now: number): HeldChannel[] {
    const found: HeldChannel[] = [];
    for (const deviceId of this.#channels.keys()) {
      const until = this.heldUntil(deviceId, now);
      if (until !== undefined) found.push({ deviceId, until });
    }
    return found;
  }

  heldUntil(deviceId: number, now: number): number | undefined {
    const channel = this.#channels.get(deviceId);
    const holder = channel && this.#holderOf(channel, now);
    return holder && silentAt(holder, channel.claims.get(holder)!);
  }

  /** The devices that a connection at another node names too. */
  get elsewhere(): number[] {
    return [...this.#elsewhere.keys()];
  }

  isElsewhere(deviceId: number): boolean {
    return this.#elsewhere.has(deviceId);
  }

  /** What other nodes say of the channel of a device. */
  registered(deviceId: number, state: ChannelState, now: number): void {
    const channel = this.#channels.get(deviceId);
    const before = this.#elsewhere.get(deviceId);
    if (channel === undefined || state.state === 'held') this.#elsewhere.delete(deviceId);
    else this.#elsewhere.set(deviceId, before?.state === state.state ? before : state);
    // The device sent data to the other node meanwhile, so both connections are alive.
    if (channel?.holder && before?.state === 'elsewhere' && state.state === 'elsewhere' && state.until > before.until)
      this.#notify(deviceId, channel, channel.holder, now);
  }

  addressed(deviceId: number, now: number): Addressed {
    const channel = this.#channels.get(deviceId);
    if (channel === undefined) return undefined;
    const holder = this.#holderOf(channel, now);
    if (holder === undefined) {
      const reasons = [...channel.claims.values()].map(({ refusal }) => refusal ?? ABANDONED);
      return { held: reasons.includes(ABANDONED) ? ABANDONED : reasons[0]! };
    }
    const isCrowded = now - channel.crowdedAt < SILENT_INTERVALS * LEAST_INTERVAL_MS.tcp;
    if (isCrowded || this.#elsewhere.has(deviceId)) return { held: CONTESTED };
    const { joinedAt } = channel.claims.get(holder)!;
    for (const [line, claim] of channel.claims)
      if (line !== holder && isEligible(claim) && claim.lastDataAt >= joinedAt && !isSilent(line, claim, now))
        return { held: CONTESTED };
    return { line: holder };
  }

  /** Reports that a command was not sent because two connections are alive. */
  notifyOfContest(deviceId: number, now: number): void {
    const channel = this.#channels.get(deviceId);
    const others = channel && [...channel.claims.keys()].filter((line) => line !== channel.holder);
    const second =
      others?.at(-1) ?? (this.#elsewhere.get(deviceId)?.state === 'elsewhere' ? channel?.holder : undefined);
    if (second !== undefined) this.#notify(deviceId, channel!, second, now);
  }

  /** The current holder keeps the channel until it is silent. UDP never replaces TCP. */
  #holderOf(channel: Channel, now: number): CommandLine | undefined {
    const { holder, claims } = channel;
    const held = holder && claims.get(holder);
    if (held !== undefined && isEligible(held) && !isSilent(holder!, held, now)) return holder;
    let next: CommandLine | undefined;
    for (const [line, claim] of claims) {
      if (!isEligible(claim) || claim.isRival) continue;
      const best = next && claims.get(next)!;
      if (next === undefined || isBetter(line, claim, next, best!)) next = line;
    }
    channel.holder = next;
    return next;
  }

  /** Whether another connection sent between two frames of this one: then both are alive. */
  #compare(deviceId: number, channel: Channel, line: CommandLine, claim: Claim, now: number): void {
    const { holder } = channel;
    for (const [other, its] of channel.claims) {
      if (other === line || its.lastDataAt <= claim.lastDataAt || !isEligible(its)) continue;
      if (line === holder) its.isRival = true;
      else if (other === holder && isEligible(claim)) claim.isRival = true;
      this.#notify(deviceId, channel, its.joinedAt < claim.joinedAt ? line : other, now);
    }
  }

  #notify(deviceId: number, channel: Channel, second: CommandLine, now: number): void {
    if (now - channel.reportedAt < NOTIFY_MS) return;
    const holder = this.#holderOf(channel, now);
    const other = holder !== second ? holder : [...channel.claims.keys()].find((line) => line !== second);
    channel.reportedAt = now;
    this.#gateway.contested({ deviceId, second: second.link, ...(other && { first: other.link }) }, now);
  }
}

/** Makes room for another connection; false if all are alive. */
function forgetSilent({ claims, holder }: Channel, now: number): boolean {
  for (const [line, claim] of claims) if (line !== holder && isSilent(line, claim, now)) return claims.delete(line);
  return false;
}

const isEligible = ({ refusal }: Claim) => refusal === undefined;

const isSilent = (line: CommandLine, claim: Claim, now: number) => now >= silentAt(line, claim);

/** When a connection counts as silent, if nothing more is received on it. */
function silentAt({ transport }: CommandLine, { lastDataAt, longestGapMs }: Claim): number {
  const intervalMs = Math.max(longestGapMs, LEAST_INTERVAL_MS[transport]);
  return lastDataAt + Math.min(SILENT_INTERVALS * intervalMs, MOST_SILENT_MS);
}

/** TCP before UDP, then the most recently active connection. */
function isBetter(line: CommandLine, claim: Claim, than: CommandLine, other: Claim): boolean {
  if (line.transport !== than.transport) return line.transport === 'tcp';
  return claim.lastDataAt > other.lastDataAt;
}
