import type { point } from '@trackway/contract/resources/point.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { Columns } from '../../../../platform/storage/bulk.ts';
import type { Cell } from '../../../../platform/storage/shape.ts';
import type { ReportedPoint } from '../../../../reports.ts';

/**
 * The columns of a position that come from the report of a device, each in one line: how it is stored, and how its cell
 * follows from the report. Their order is the order of the cells in a packed position. What normalizes and
 * reads a position follows from this list.
 */

/** What the contract shows of a position and the service does not add itself; a place has two columns. */
type PointColumn =
  | Exclude<keyof Shown<typeof point>, 'id' | 'deviceId' | 'created' | 'location'>
  | 'locationLat'
  | 'locationLng';

interface Column<Field extends keyof ReportedPoint, Stored extends Cell = Cell> {
  readonly kind: Columns[string];
  /** The field of the report that it follows from. */
  readonly from: Field;
  readonly cellOf: (value: ReportedPoint[Field], point: ReportedPoint) => Stored;
  /** Whether a device may write there what it likes, so that it must be seen whether the store can take it. */
  readonly isFreeText: boolean;
}

type AnyColumn = { readonly [Field in keyof ReportedPoint]-?: Column<Field> }[keyof ReportedPoint];

const column =
  (kind: Columns[string]) =>
  <Field extends keyof ReportedPoint, Stored extends Cell>(
    from: Field,
    cellOf: Column<Field, Stored>['cellOf'],
  ): Column<Field, Stored> => ({ kind, from, cellOf, isFreeText: false });
const [integer, number, text, time] = [column('integer'), column('number'), column('text'), column('time')];

/** A secondary value that cannot be right is left out; the position itself is still worth storing. */
const within = (min: number, max: number) => (value: number | undefined) =>
  typeof value === 'number' && value >= min && value <= max ? value : null;
const whole = (min: number, max: number) => (value: number | undefined) =>
  typeof value === 'number' && value >= min && value <= max ? Math.trunc(value) : null;

const freeText = <Field extends 'address' | 'correlationId' | 'stringValue' | 'numValue'>(
  from: Field,
  maxLength: number,
) => ({
  ...text(from, (value) => (value === undefined ? null : value.slice(0, maxLength))),
  isFreeText: true,
});

/** The antimeridian has two names; one of them is stored. */
const wrapped = (lng: number) => (lng === -180 ? 180 : lng);

export const POINT_COLUMNS = {
  // A position without a time, or at a place that is none, does not come this far.
  timestamp: time('timestamp', (at) => at!),
  locationLat: number('location', (location) => (location ? location.lat : null)),
  locationLng: number('location', (location) => (location ? wrapped(location.lng) : null)),
  speed: number('speedKmh', within(0, 100_000)),
  altitude: number('altitudeM', within(-20_000, 1e7)),
  course: number('courseDeg', within(0, 360)),
  accuracy: number('accuracyM', within(0, 1e8)),
  locationType: text('locationType', (type, { location }) => (location ? (type ?? 'gps') : 'invalid')),
  sats: integer('sats', whole(0, 1000)),
  hdop: number('hdop', within(0, 10_000)),
  batteryPct: number('batteryPct', within(0, 255)),
  batteryVoltage: number('batteryVoltage', within(-1000, 1000)),
  averageCharge: integer('averageCharge', whole(0, 255)),
  sendReason: integer('sendReason', whole(0, 255)),
  alertType: integer('alertType', whole(0, 255)),
  mode: integer('mode', whole(0, 255)),
  gsmSignal: number('gsmSignal', within(-1000, 1000)),
  address: freeText('address', 1000),
  correlationId: freeText('correlationId', 200),
  stringValue: freeText('stringValue', 1000),
  currentUsed: number('currentUsedUah', within(0, Number.MAX_SAFE_INTEGER)),
  num_value: freeText('numValue', 100),
} satisfies Record<PointColumn, AnyColumn>;
