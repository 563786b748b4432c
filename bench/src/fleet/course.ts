import { type MeasuredSent, send } from '../load/sending.ts';
import type { TrackedFleet } from './tracked-fleet.ts';

const RECENT_MS = 25 * 60_000;

/** A fleet that continues from its last fix, because repeated reports would be dropped as duplicates. */
export class Course {
  static readonly #courses = new WeakMap<TrackedFleet, Course>();
  readonly #fleet: TrackedFleet;
  readonly #connections: number;
  #endedAt = Date.now() - RECENT_MS;

  private constructor(fleet: TrackedFleet, connections: number) {
    this.#fleet = fleet;
    this.#connections = connections;
  }

  static of(fleet: TrackedFleet, connections: number): Course {
    const known = Course.#courses.get(fleet) ?? new Course(fleet, connections);
    Course.#courses.set(fleet, known);
    return known;
  }

  /**
   * Sends one position per report; each connection sends at an interval, or as soon as the previous report is answered.
   */
  async send(reports: number, everyMs?: number): Promise<MeasuredSent> {
    const { keys, server } = this.#fleet;
    const { address, pid } = server;
    const load = { positions: 1, connections: this.#connections, startAt: this.#endedAt, intervalS: 1, everyMs };
    const sent = await send({ address, keys, reports, ...load }, pid);
    this.#endedAt = sent.endedAt;
    return sent;
  }
}
