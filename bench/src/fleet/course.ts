import { type MeasuredSent, send } from '../load/sending.ts';
import type { TrackedFleet } from './tracked-fleet.ts';

const RECENT_MS = 25 * 60_000;

/** A fleet goes on where it was, since what it says again is no news. */
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

  /** One position in each report; each connection sends at an interval, or as soon as the one before is answered. */
  async send(reports: number, everyMs?: number): Promise<MeasuredSent> {
    const { keys, server } = this.#fleet;
    const { address, pid } = server;
    const load = { positions: 1, connections: this.#connections, startAt: this.#endedAt, intervalS: 1, everyMs };
    const sent = await send({ address, keys, reports, ...load }, pid);
    this.#endedAt = sent.endedAt;
    return sent;
  }
}
