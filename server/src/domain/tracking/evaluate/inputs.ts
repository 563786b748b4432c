import type { Selectable } from 'kysely';
import type { Place } from '../../../platform/sphere.ts';
import type { Fix } from '../../fix.ts';
import { accuracyM } from '../../geofences/confidence.ts';
import type { FenceRule } from '../../geofences/membership.ts';
import type { PointRow } from '../../schema/rows/tracking-rows.ts';
import type { Reading, TriggerRule } from '../../triggers/evaluator.ts';

/** What drives the state of a device: its reports in fix time, and the clock where nothing is reported. */
export type Input =
  | { readonly kind: 'fix'; readonly at: number; readonly fix: Fix }
  | { readonly kind: 'reading'; readonly at: number; readonly reading: Reading }
  | { readonly kind: 'message'; readonly at: number; readonly id: number }
  | { readonly kind: 'clock'; readonly at: number };

/** The rules in force at a moment, for one device. */
export interface Rules {
  /** The fences that may matter to a place: all that contain it or have an edge within the radius. */
  fencesNear(at: number, place: Place, radiusM: number): Iterable<FenceRule>;
  fence(at: number, fenceId: number): FenceRule | undefined;
  /** When a fence last got the shape it has; absent where they have had it since ever. */
  readonly newestShapeAt?: number;
  /** The fences that are for this one device. */
  bound?(at: number): readonly FenceRule[];
  triggers(at: number): readonly TriggerRule[];
}

const ID_DIGITS = 16;
const INPUT_RANK = { fix: '1', reading: '2', message: '3', clock: '4' } as const;

/** Distinguishes inputs of one time by their content, not by their reception. */
export function orderOf(input: Input): string {
  switch (input.kind) {
    case 'reading':
      return `${INPUT_RANK.reading} ${input.reading.type} ${JSON.stringify(input.reading.value)}`;
    case 'message':
      // The time of a message is that of its arrival, so the order of arrival is the order of the messages.
      return `${INPUT_RANK.message} ${String(input.id).padStart(ID_DIGITS, '0')}`;
    default:
      return INPUT_RANK[input.kind];
  }
}

/** The order of evaluating inputs, independent of the order of reception. */
export function inOrder(a: Input, b: Input): number {
  if (a.at !== b.at) return a.at - b.at;
  const [first, second] = [orderOf(a), orderOf(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Whether an input comes after everything that the state has seen. */
export const isNext = (state: { at: number; order: string }, input: Input) =>
  input.at > state.at || (input.at === state.at && orderOf(input) > state.order);

/** Whether what a state has seen last was the clock. */
export const wasClock = ({ order }: { order: string }) => order === INPUT_RANK.clock;

/** The columns of a stored position that evaluating looks at. */
export const EVALUATED_COLUMNS = [
  'id',
  'timestamp',
  'locationLat',
  'locationLng',
  'speed',
  'course',
  'accuracy',
  'locationType',
  'batteryPct',
  'mode',
  'alertType',
] as const satisfies readonly (keyof PointRow)[];

/** A stored position, as far as evaluating looks at it. */
export type StoredPoint = Readonly<Pick<Selectable<PointRow>, (typeof EVALUATED_COLUMNS)[number]>>;

export interface StoredReading {
  readonly id: number;
  readonly timestamp: number;
  readonly type: string;
  readonly value: string;
}

/** The best is evaluated first. */
const RANK: Record<StoredPoint['locationType'], number> = { gps: 0, wifi: 1, gateway: 2, gsm: 3, invalid: 8 };
const UNPLACED = 9;

/** The fields that rank several reports of one time. */
type RankedPoint = Pick<StoredPoint, 'locationLat' | 'locationLng' | 'speed' | 'locationType' | 'accuracy'> &
  Partial<Pick<StoredPoint, (typeof TIE_BREAKERS)[number]>>;

/** What of two positions that are as good as each other makes a difference. */
const TIE_BREAKERS = [
  'locationLat',
  'locationLng',
  'speed',
  'course',
  'batteryPct',
  'mode',
  'alertType',
  'id',
] as const;

/**
 * Of several reports for one instant one is evaluated: the best, and of equals always the same, in whatever order they came.
 * Only where they say the same is it the first that came.
 */
export function better(a: RankedPoint, b: RankedPoint): number {
  return rankOf(a) - rankOf(b) || accuracyM(a) - accuracyM(b) || byValues(a, b);
}

function byValues(a: RankedPoint, b: RankedPoint): number {
  for (const name of TIE_BREAKERS) {
    const [one, other] = [a[name] ?? Number.NEGATIVE_INFINITY, b[name] ?? Number.NEGATIVE_INFINITY];
    if (one !== other) return one - other;
  }
  return 0;
}

const rankOf = ({ locationLat, locationType }: RankedPoint) => (locationLat === null ? UNPLACED : RANK[locationType]);

/** What the reports of one instant say together: the place of the best, the alerts of all. */
export function fixOf(points: readonly StoredPoint[]): Fix {
  const all = points.length === 1 ? points : points.toSorted(better);
  const best = all[0]!;
  let batteryPct: number | undefined;
  let mode: number | undefined;
  let alerts = 0;
  for (const point of all) {
    batteryPct ??= point.batteryPct ?? undefined;
    mode ??= point.mode ?? undefined;
    alerts |= point.alertType ?? 0;
  }
  const isPlaced = best.locationLat !== null && best.locationType !== 'invalid';
  return {
    at: best.timestamp,
    pointId: best.id,
    place: isPlaced ? { lat: best.locationLat!, lng: best.locationLng! } : undefined,
    accuracyM: accuracyM(best),
    speedKmh: best.speed ?? undefined,
    courseDeg: best.course ?? undefined,
    batteryPct,
    mode,
    alerts,
  };
}

/** Points in the order of their time become fixes, one for each instant. */
export function fixInputs(points: readonly StoredPoint[]): Input[] {
  if (points.length === 1) return [{ kind: 'fix', at: points[0]!.timestamp, fix: fixOf(points) }];
  const inputs: Input[] = [];
  for (let start = 0; start < points.length; ) {
    const at = points[start]!.timestamp;
    let end = start + 1;
    while (end < points.length && points[end]!.timestamp === at) end++;
    inputs.push({ kind: 'fix', at, fix: fixOf(points.slice(start, end)) });
    start = end;
  }
  return inputs;
}

export const readingInput = ({ id, timestamp, type, value }: StoredReading): Input => ({
  kind: 'reading',
  at: timestamp,
  reading: { at: timestamp, id, type, value: JSON.parse(value) },
});

/** What a device with a `proximity` trigger reported: by it the distance to another device is evaluated. */
export interface ProximityInput {
  readonly deviceId: number;
  readonly points: readonly StoredPoint[];
  readonly readings: readonly (StoredReading & { readonly deviceId: number | null })[];
}
