import type { Log } from '../log.ts';
import { BEAT, positionComment, type StreamEvent, streamEvent } from './event.ts';
import { hadWhole, isAfter, type LogPosition, positionAfter } from './log-position.ts';
import { Outlet, type Sink } from './outlet.ts';

/**
 * A durable log, and what it says to whom. Entries become visible in the order of their ids: whoever has seen one has
 * seen all before it.
 */
export interface Source<Entry extends { readonly id: number }, Who> {
  /** The newest entry, or the newest there ever was. */
  head(): Promise<number>;
  /** Entries up to this one are not kept any more. */
  forgotten(): Promise<number>;
  /** The entries after one and up to another, in order, a chunk of them. */
  between(after: number, upTo: number, limit: number): Promise<Entry[]>;
  /** Prepares what these readers see of entries; what comes out makes no more use of anything but memory. */
  prepare(entries: readonly Entry[], readers: readonly Who[]): Promise<(who: Who) => Iterable<StreamEvent>>;
}

export interface HubOptions {
  readonly log: Log;
  /** How often to look for what others wrote, or what nobody spoke of. */
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
  /** It was behind for too long: from here on what waits for it is thinned out. */
  isSlow: boolean;
}

const POLL_MS = 100;
const BEAT_MS = 15_000;
/** Entries that are served together. */
const CHUNK = 200;
/** Entries that a reader who resumes looks through, and those of which the events are made at a time. */
const LOOKED_THROUGH = 500;
const SLICE = 25;
const PATIENCE_MS = 5000;

/** Lets others have a turn: an embedded store answers without ever giving way. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Follows a log for all who listen in this process. Those who are up to date are served together, each chunk of the log
 * being read and each event being made once. Those who resume, or whom a burst was too much for, read the log for
 * themselves, as fast as they take it, until they have caught up. Who had been up to date and does not catch up soon is
 * slow, and served from a buffer that is thinned out.
 */
export class Hub<Entry extends { readonly id: number }, Who> {
  readonly #source: Source<Entry, Who>;
  readonly #log: Log;
  readonly #members = new Set<Member<Who>>();
  /** Those who have had everything up to the cursor. */
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

  /** Something may have been committed. */
  wake(): void {
    if (this.#abreast.size === 0 || this.#isStopped) return;
    this.#isWoken = true;
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
      if (this.#isWoken) this.wake();
    });
  }

  /**
   * From the given place on, or from now on.
   * @param after null where the reader was somewhere that is not known
   */
  join(who: Who, after: LogPosition | null | undefined, sink: Sink): Outlet {
    const outlet = new Outlet(sink, () => this.#leave(member));
    const member: Member<Who> = { who, outlet, place: positionAfter(0), isSlow: false };
    this.#members.add(member);
    if (this.#isStopped) outlet.end();
    else
      this.#begin(member, after).catch((error) => {
        this.#log.error({ error }, 'A stream could not be resumed');
        outlet.end();
      });
    return outlet;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const { outlet } of this.#members) outlet.end();
    await this.#draining;
  }

  #leave(member: Member<Who>): void {
    this.#members.delete(member);
    this.#abreast.delete(member);
    // With nobody there nobody needs to know where we were.
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
    // Nothing is waited for from here on: who is abreast stays so.
    this.#cursor = last.id;
    for (const member of members) if (this.#abreast.has(member)) this.#tell(member, eventsFor, last.id);
    for (const member of this.#abreast) {
      if (hadWhole(member.place) >= last.id) continue;
      // It came while the chunk was prepared for others, or the chunk was too much for it.
      this.#abreast.delete(member);
      this.#catchUp(member, performance.now() + this.#patienceMs).catch((error) => {
        this.#log.error({ error }, 'A stream could not catch up');
        member.outlet.end();
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

  /** @param patientUntil by the clock of `performance` */
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
      // Looked up afterwards: what was there when it was read is complete if nothing of it is forgotten now.
      if ((await this.#source.forgotten()) > had) this.#reset(member, await this.#source.head());
      else if (await this.#retell(member, entries, patientUntil))
        member.place = positionAfter(entries.length < LOOKED_THROUGH ? upTo : entries.at(-1)!.id);
      await turn();
    }
  }

  /** Tells all of it, at the reader's own speed; whether the reader stayed. */
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
