import type { ReportedPoint } from '../report.ts';

/** How a tracker of one protocol talks: what it sends, and what it takes for an answer. Pure. */
export interface TrackerVoice {
  /** First bytes of a connection; undefined where each frame names the device. */
  login?(identity: string): Buffer;
  /** A frame that reports positions. */
  report(identity: string, points: readonly LocatedPoint[], serial: number): Buffer;
  /** At most this many positions go into a frame. */
  readonly pointsPerFrame: number;
  /** What the server's bytes say, and what is not whole yet. */
  onData(
    bytes: Buffer,
    isLoggedIn: boolean,
  ): { readonly answers: readonly TrackerAnswer[]; readonly remaining: Buffer };
  /** Whether a report counts as taken only once the server answers. */
  readonly isConfirmed: boolean;
}

export type LocatedPoint = ReportedPoint & { readonly location: NonNullable<ReportedPoint['location']> };

export type TrackerAnswer = 'accepted' | 'refused' | 'confirmed' | 'other';

export const isLocated = (point: ReportedPoint): point is LocatedPoint => point.location !== undefined;

/** Whole seconds, as most trackers tell the time. */
export const dateOf = ({ timestamp }: ReportedPoint) =>
  new Date(typeof timestamp === 'number' ? timestamp : Date.parse(timestamp));
