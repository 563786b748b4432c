import type { Log } from '../log.ts';
import {
  eventTexts,
  hadPart,
  isKnown,
  isReached,
  isUpTo,
  type LaneRange,
  type LogBounds,
  type LogPosition,
  lanesAfter,
  partRanges,
  positionAt,
  rangesBetween,
  rangesRead,
  textOfLanes,
} from './log-position.ts';
import {
  BEAT,
  type LaneEntry,
  type LogEvent,
  Outlet,
  positionComment,
  type Sink,
  type Source,
  type StreamEvent,
  streamEvent,
} from './outlet.ts';

interface HubOptions {
  readonly log: Log;
  /** Interval of polling for entries of other processes, and of this one if no `wake` reported them. */
  readonly pollMs?: number;
  readonly beatMs?: number;
  /** How long a reader that fell behind may take to catch up. */
  readonly patienceMs?: number;
}

interface StreamReader<Who> {
  readonly who: Who;
  readonly outlet: Outlet;
}

interface Member<Who> extends StreamReader<Who> {
  place: LogPosition;
  /** The reader was behind for too long: its queued events are thinned out from now on. */
  isSlow: boolean;
}

const NOWHERE: LogPosition = { lanes: [] };
const POLL_MS = 100;
const BEAT_MS = 15_000;
/** Number of entries that are read and sent to all current readers together. */
const CHUNK = 200;
/**
 * `LOOKED_THROUGH`: entries that a resuming reader reads at a time. `SLICE`: entries whose events are built at a time.
 */
const LOOKED_THROUGH = 500;
const SLICE = 25;
const PATIENCE_MS = 5000;

/** Yields to other work: an embedded store responds without ever yielding to the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Follows a log for all readers in this process. Readers that are up to date are served together: each chunk of the log
 * is read once and each event is built once. Readers that resume, or that a burst overran, read the log individually,
 * at their own speed, until they have caught up. A reader that was up to date and does not catch up in time is slow; it
 * is served from a buffer that is thinned out.
 */
export class Hub<Entry extends LaneEntry, Who> {
  readonly #source: Source<Entry, Who>;
  readonly #log: Log;
  readonly #members = new Set<Member<Who>>();
  /** Readers that have received everything up to the cursor, and nothing after it. */
  readonly #abreast = new Set<Member<Who>>();
  readonly #pollMs: number;
  readonly #beatMs: number;
  /** They run only while there are readers, so that an idle process sleeps. */
  #timers: readonly NodeJS.Timeout[] = [];
  readonly #patienceMs: number;
  #cursor: LogPosition | undefined;
  #draining: Promise<void> | undefined;
  #isWoken = false;
  readonly #underWay = new Set<Promise<void>>();
  #isStopped = false;

  constructor(source: Source<Entry, Who>, options: HubOptions) {
    const { log, pollMs = POLL_MS, beatMs = BEAT_MS, patienceMs = PATIENCE_MS } = options;
    this.#source = source;
    this.#patienceMs = patienceMs;
    this.#log = log;
    this.#pollMs = pollMs;
    this.#beatMs = beatMs;
  }

  get readers(): ReadonlySet<StreamReader<Who>> {
    return this.#members;
  }

  /** Call this when something may have been committed. */
  wake(): void {
    if (this.#abreast.size === 0 || this.#isStopped) return;
    this.#isWoken = true;
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
      if (this.#isWoken) this.wake();
    });
  }

  /**
   * Streams from the given position on, or from now on.
   * @param after null if the reader's position cannot be parsed
   */
  join(who: Who, after: LogPosition | null | undefined, sink: Sink): Outlet {
    const outlet = new Outlet(sink, () => this.#leave(member));
    const member: Member<Who> = { who, outlet, place: NOWHERE, isSlow: false };
    this.#members.add(member);
    if (this.#members.size === 1 && !this.#isStopped) this.#startTimers();
    if (this.#isStopped) outlet.end('stop');
    else this.#follow(this.#begin(member, after), outlet, 'A live stream could not be resumed');
    return outlet;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimers();
    for (const { outlet } of this.#members) outlet.end('stop');
    await this.#draining;
    await Promise.all(this.#underWay);
  }

  /** Reading of the log for one stream ends before the hub, so that nothing uses a closed store. */
  #follow(reading: Promise<void>, outlet: Outlet, failure: string): void {
    const ended = reading
      .catch((error) => {
        this.#log.error({ error }, failure);
        outlet.end('failure');
      })
      .finally(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
  }

  #leave(member: Member<Who>): void {
    this.#members.delete(member);
    this.#abreast.delete(member);
    if (this.#members.size > 0) return;
    // Without readers the cursor is not needed; the next reader starts from the head.
    this.#cursor = undefined;
    this.#stopTimers();
  }

  #startTimers(): void {
    this.#timers = [
      setInterval(() => this.wake(), this.#pollMs).unref(),
      setInterval(() => this.#beat(), this.#beatMs).unref(),
    ];
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
  }

  async #begin(member: Member<Who>, after: LogPosition | null | undefined): Promise<void> {
    const bounds = await this.#source.bounds();
    if (member.outlet.isEnded) return;
    this.#cursor ??= { lanes: bounds.head };
    if (after === undefined || (after !== null && isKnown(after, bounds))) {
      member.place = after ?? { lanes: bounds.head };
      member.outlet.mention(positionComment(member.place));
    } else this.#reset(member, bounds);
    await this.#catchUp(member, Number.POSITIVE_INFINITY);
  }

  #reset(member: Member<Who>, { head }: Pick<LogBounds, 'head'>): void {
    member.place = { lanes: head };
    member.outlet.send(streamEvent(textOfLanes(head), { name: 'reset', data: '{}' }));
  }

  async #drain(): Promise<void> {
    try {
      while (this.#isWoken) {
        this.#isWoken = false;
        await this.#drainTo(await this.#source.head());
      }
    } catch (error) {
      // The next poll tries again.
      this.#log.error({ error }, 'The live log could not be read');
    }
  }

  async #drainTo(head: readonly number[]): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      const members = [...this.#abreast];
      const from = this.#cursor;
      if (from === undefined || members.length === 0) return;
      const wanted = rangesBetween(from.lanes, head, CHUNK);
      if (wanted.length === 0) return;
      if (!isFirst) await turn();
      const entries = await this.#source.read(wanted, CHUNK);
      const ranges = rangesRead(wanted, entries, CHUNK);
      if (isFirst && !isUpTo(head, lanesAfter(from.lanes, ranges))) this.#source.prepareMany();
      await this.#notifyAll(members, from, entries, ranges);
    }
  }

  async #notifyAll(
    members: readonly Member<Who>[],
    from: LogPosition,
    entries: readonly Entry[],
    ranges: readonly LaneRange[],
  ): Promise<void> {
    const eventsFor = await this.#source.prepare(
      entries,
      members.map(({ who }) => who),
    );
    // No await from here on, so the set of current readers cannot change. Without readers there is no cursor.
    if (this.#cursor !== from) return;
    const cursor = { lanes: lanesAfter(from.lanes, ranges) };
    this.#cursor = cursor;
    const stamped = stamping(from.lanes, ranges);
    for (const member of members)
      if (this.#abreast.has(member) && this.#deliver(member, eventsFor(member.who), stamped, ranges))
        member.place = cursor;
    for (const member of this.#abreast) {
      if (member.place === cursor) continue;
      // It joined while the chunk was being prepared, or the chunk did not fit into its buffer.
      this.#abreast.delete(member);
      const catchingUp = this.#catchUp(member, performance.now() + this.#patienceMs);
      this.#follow(catchingUp, member.outlet, 'A live stream could not catch up');
    }
  }

  /** Returns whether the reader got them all. */
  #deliver(member: Member<Who>, events: Iterable<LogEvent>, stamped: Stamping, ranges: readonly LaneRange[]): boolean {
    const { outlet } = member;
    const { lanes } = member.place;
    if (!outlet.isFull) member.isSlow = false;
    let last: LogEvent | undefined;
    for (const event of events) {
      if (outlet.isCrowded && !member.isSlow) {
        if (last) member.place = positionAt(lanes, ranges, last);
        return false;
      }
      outlet.send(stamped(event));
      last = event;
    }
    return true;
  }

  /**
   * @param patientUntil in milliseconds of `performance.now()`
   */
  async #catchUp(member: Member<Who>, patientUntil: number): Promise<void> {
    const { outlet } = member;
    while (!outlet.isEnded && !this.#isStopped) {
      const cursor = this.#cursor!;
      const { place } = member;
      if (!isReached(place, cursor)) {
        await this.#advance();
        continue;
      }
      const wanted = place.part ? partRanges(place) : rangesBetween(place.lanes, cursor.lanes, LOOKED_THROUGH);
      if (wanted.length === 0) {
        member.place = cursor;
        this.#abreast.add(member);
        this.wake();
        return;
      }
      const entries = await this.#source.read(wanted, LOOKED_THROUGH);
      const ranges = rangesRead(wanted, entries, LOOKED_THROUGH);
      // Checked after the read: if no entry after the place is deleted now, the entries read are complete.
      const bounds = await this.#source.bounds();
      if (!isUpTo(bounds.forgotten, place.lanes)) this.#reset(member, bounds);
      else if (await this.#retell(member, entries, ranges, patientUntil))
        member.place = { lanes: lanesAfter(place.lanes, ranges) };
      await turn();
    }
  }

  /** Advances the cursor if a resuming reader is past it, because it received events from another process. */
  async #advance(): Promise<void> {
    const from = this.#cursor;
    const head = await this.#source.head();
    if (this.#abreast.size === 0) {
      if (this.#cursor === from) this.#cursor = { lanes: head };
    } else {
      this.wake();
      await this.#draining;
    }
    await turn();
  }

  /** Sends all events at the reader's own speed; returns whether the reader is still connected. */
  async #retell(
    member: Member<Who>,
    entries: readonly Entry[],
    ranges: readonly LaneRange[],
    patientUntil: number,
  ): Promise<boolean> {
    const { who, outlet, place } = member;
    const stamped = stamping(place.lanes, ranges);
    for (let start = 0; start < entries.length; start += SLICE) {
      const eventsFor = await this.#source.prepare(entries.slice(start, start + SLICE), [who]);
      for (const event of eventsFor(who)) {
        if (hadPart(place.part, event)) continue;
        if (outlet.isFull && !member.isSlow) {
          await outlet.room(patientUntil - performance.now());
          member.isSlow = performance.now() >= patientUntil;
        }
        if (outlet.isEnded) return false;
        outlet.send(stamped(event));
      }
    }
    return !outlet.isEnded;
  }

  #beat(): void {
    for (const member of this.#members) {
      const isAbreast = this.#abreast.has(member);
      member.outlet.mention(isAbreast ? positionComment(member.place) : BEAT);
    }
  }
}

type Stamping = (event: LogEvent) => StreamEvent;

/** Gives events their wire format while reading ranges, each once for all readers of the same ranges. */
function stamping(lanes: readonly number[], ranges: readonly LaneRange[]): Stamping {
  const textOf = eventTexts(lanes, ranges);
  const made = new Map<LogEvent, StreamEvent>();
  return (event) => {
    const known = made.get(event);
    if (known !== undefined) return known;
    const fresh = streamEvent(textOf(event.lane, event.entry, event.index), event);
    made.set(event, fresh);
    return fresh;
  };
}
