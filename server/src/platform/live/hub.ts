import type { Log } from '../log.ts';
import { BEAT, positionComment, type StreamEvent, streamEvent } from './event.ts';
import { hadWhole, isAfter, type LogPosition, positionAfter } from './log-position.ts';
import { Outlet, type Sink } from './outlet.ts';

/**
 * A durable log, and the events that each reader gets from it. Entries become visible in the order of their ids: a
 * reader that has seen one has seen all before it.
 */
export interface Source<Entry extends { readonly id: number }, Who> {
  /** The newest entry, even if it has been deleted since. */
  head(): Promise<number>;
  /** Entries up to this id have been deleted. */
  forgotten(): Promise<number>;
  /** Returns up to `limit` entries after one id and up to another, in order. */
  between(after: number, upTo: number, limit: number): Promise<Entry[]>;
  /** Loads everything these readers need of the entries; the returned function works from memory alone. */
  prepare(entries: readonly Entry[], readers: readonly Who[]): Promise<(who: Who) => Iterable<StreamEvent>>;
}

export interface HubOptions {
  readonly log: Log;
  /** Interval of polling for entries of other processes, and of this one if no `wake` reported them. */
  readonly pollMs?: number;
  readonly beatMs?: number;
  /** How long a reader that fell behind may take to catch up. */
  readonly patienceMs?: number;
}

export interface StreamReader<Who> {
  readonly who: Who;
  readonly outlet: Outlet;
}

interface Member<Who> extends StreamReader<Who> {
  place: LogPosition;
  /** The reader was behind for too long: its queued events are thinned out from now on. */
  isSlow: boolean;
}

const POLL_MS = 100;
const BEAT_MS = 15_000;
/** Entries that are read and sent to all current readers together. */
const CHUNK = 200;
/**
 * `LOOKED_THROUGH`: entries that a resuming reader reads at a time. `SLICE`: entries whose events are built at a time.
 */
const LOOKED_THROUGH = 500;
const SLICE = 25;
const PATIENCE_MS = 5000;

/** Yields to other work: an embedded store answers without ever yielding to the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Follows a log for all readers in this process. Readers that are up to date are served together: each chunk of the log
 * is read once and each event is built once. Readers that resume, or that a burst overran, read the log individually,
 * at their own speed, until they have caught up. A reader that was up to date and does not catch up in time is slow; it
 * is served from a buffer that is thinned out.
 */
export class Hub<Entry extends { readonly id: number }, Who> {
  readonly #source: Source<Entry, Who>;
  readonly #log: Log;
  readonly #members = new Set<Member<Who>>();
  /** Readers that have received everything up to the cursor. */
  readonly #abreast = new Set<Member<Who>>();
  readonly #timers: NodeJS.Timeout[];
  readonly #patienceMs: number;
  #cursor: number | undefined;
  #draining: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;

  constructor(source: Source<Entry, Who>, options: HubOptions) {
    const { log, pollMs = POLL_MS, beatMs = BEAT_MS, patienceMs = PATIENCE_MS } = options;
    this.#source = source;
    this.#patienceMs = patienceMs;
    this.#log = log;
    this.#timers = [setInterval(() => this.wake(), pollMs).unref(), setInterval(() => this.#beat(), beatMs).unref()];
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
    const member: Member<Who> = { who, outlet, place: positionAfter(0), isSlow: false };
    this.#members.add(member);
    if (this.#isStopped) outlet.end('stop');
    else
      this.#begin(member, after).catch((error) => {
        this.#log.error({ error }, 'A stream could not be resumed');
        outlet.end('failure');
      });
    return outlet;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const { outlet } of this.#members) outlet.end('stop');
    await this.#draining;
  }

  #leave(member: Member<Who>): void {
    this.#members.delete(member);
    this.#abreast.delete(member);
    // Without readers the cursor is not needed; the next reader starts from the head.
    if (this.#members.size === 0) this.#cursor = undefined;
  }

  async #begin(member: Member<Who>, after: LogPosition | null | undefined): Promise<void> {
    const head = await this.#source.head();
    const forgotten = await this.#source.forgotten();
    if (member.outlet.isEnded) return;
    this.#cursor ??= head;
    const isKnown = after && !isAfter(after, positionAfter(head)) && hadWhole(after) >= forgotten;
    if (after === undefined || isKnown) {
      member.place = after ?? positionAfter(head);
      member.outlet.mention(positionComment(member.place));
    } else this.#reset(member, head);
    await this.#catchUp(member, Number.POSITIVE_INFINITY);
  }

  #reset(member: Member<Who>, head: number): void {
    member.place = positionAfter(head);
    member.outlet.send(streamEvent(member.place, 'reset', '{}'));
  }

  async #drain(): Promise<void> {
    try {
      while (this.#isWoken) {
        this.#isWoken = false;
        while ((await this.#drainChunk()) === CHUNK) await turn();
      }
    } catch (error) {
      // The next poll tries again.
      this.#log.error({ error }, 'The live log could not be read');
    }
  }

  async #drainChunk(): Promise<number> {
    const members = [...this.#abreast];
    if (this.#cursor === undefined || members.length === 0) return 0;
    const entries = await this.#source.between(this.#cursor, Number.MAX_SAFE_INTEGER, CHUNK);
    const last = entries.at(-1);
    if (last === undefined) return 0;
    const eventsFor = await this.#source.prepare(
      entries,
      members.map(({ who }) => who),
    );
    // No await from here on, so the set of current readers cannot change.
    this.#cursor = last.id;
    for (const member of members) if (this.#abreast.has(member)) this.#tell(member, eventsFor, last.id);
    for (const member of this.#abreast) {
      if (hadWhole(member.place) >= last.id) continue;
      // It joined while the chunk was being prepared, or the chunk did not fit into its buffer.
      this.#abreast.delete(member);
      this.#catchUp(member, performance.now() + this.#patienceMs).catch((error) => {
        this.#log.error({ error }, 'A stream could not catch up');
        member.outlet.end('failure');
      });
    }
    return entries.length;
  }

  #tell(member: Member<Who>, eventsFor: (who: Who) => Iterable<StreamEvent>, upTo: number): void {
    const { outlet, who } = member;
    if (!outlet.isFull) member.isSlow = false;
    for (const event of eventsFor(who)) {
      if (!isAfter(event.place, member.place)) continue;
      if (outlet.isCrowded && !member.isSlow) return;
      outlet.send(event);
      member.place = event.place;
    }
    if (upTo >= member.place.entry) member.place = positionAfter(upTo);
  }

  /**
   * @param patientUntil in milliseconds of `performance.now()`
   */
  async #catchUp(member: Member<Who>, patientUntil: number): Promise<void> {
    const { outlet } = member;
    while (!outlet.isEnded) {
      const upTo = this.#cursor!;
      const had = hadWhole(member.place);
      if (had >= upTo) {
        this.#abreast.add(member);
        this.wake();
        return;
      }
      const entries = await this.#source.between(had, upTo, LOOKED_THROUGH);
      // Checked after the read: if no entry after `had` is deleted now, the entries read are complete.
      if ((await this.#source.forgotten()) > had) this.#reset(member, await this.#source.head());
      else if (await this.#retell(member, entries, patientUntil))
        member.place = positionAfter(entries.length < LOOKED_THROUGH ? upTo : entries.at(-1)!.id);
      await turn();
    }
  }

  /** Sends all events at the reader's own speed; returns whether the reader is still connected. */
  async #retell(member: Member<Who>, entries: readonly Entry[], patientUntil: number): Promise<boolean> {
    const { who, outlet, place } = member;
    for (let start = 0; start < entries.length; start += SLICE) {
      const eventsFor = await this.#source.prepare(entries.slice(start, start + SLICE), [who]);
      for (const event of eventsFor(who)) {
        if (!isAfter(event.place, place)) continue;
        if (outlet.isFull && !member.isSlow) {
          await outlet.room(patientUntil - performance.now());
          member.isSlow = performance.now() >= patientUntil;
        }
        if (outlet.isEnded) return false;
        outlet.send(event);
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
