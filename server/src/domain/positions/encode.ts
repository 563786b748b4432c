import type { Cell } from '../../platform/storage/shape.ts';
import type { StoredPosition } from './packed-positions.ts';

/**
 * A position as the cells of its row, see `schema/migrations/0001/positions.ts`. What is read equals what was stored: a
 * value that an integer cannot represent exactly is stored unchanged in `extra`.
 */

/** Missing fields are null. */
export type NewPosition = Partial<Omit<StoredPosition, 'id'>> &
  Pick<StoredPosition, 'deviceId' | 'timestamp' | 'created' | 'locationType'>;

/** The columns of the table but for the id, in the order of the cells. */
export const SLIM_COLUMNS = {
  deviceId: 'integer',
  timestamp: 'time',
  delay: 'integer',
  lat: 'integer',
  lng: 'integer',
  speed: 'integer',
  altitude: 'integer',
  course: 'integer',
  accuracy: 'integer',
  kind: 'integer',
  sats: 'integer',
  hdop: 'integer',
  batteryPct: 'integer',
  batteryVoltage: 'integer',
  averageCharge: 'integer',
  sendReason: 'integer',
  alertType: 'integer',
  mode: 'integer',
  gsmSignal: 'integer',
  extra: 'json',
} as const;

/**
 * Their numbers are in databases: they never change. No object with these names: each text comes from another thread as a
 * new one, and the engine compiles a look-up of names again and again for them.
 */
const TYPES: ReadonlyMap<StoredPosition['locationType'], number> = new Map([
  ['gps', 0],
  ['wifi', 1],
  ['gsm', 2],
  ['gateway', 3],
  ['invalid', 4],
]);
export const JUDGED: Record<NonNullable<StoredPosition['judged']>, number> = { implausible: 1 << 3, tooOld: 2 << 3 };
export const JUDGED_BITS = 3 << 3;
const SIGHTED_BIT = 1 << 5;
/** So that each course fits into two bytes. */
const COURSE_OFFSET = 18_000;
const SMALL = 32_767;
const LARGE = 2_147_483_647;

type Extra = Record<string, unknown>;

/** Collects what does not fit. */
class Encoding {
  extra: Extra | undefined;

  keep(name: string, value: unknown): null {
    this.extra ??= {};
    this.extra[name] = value;
    return null;
  }

  number(name: string, value: number | null | undefined, scale: number, most: number, offset = 0): number | null {
    if (value === null || value === undefined) return null;
    const scaled = Math.round(value * scale);
    const stored = scaled - offset;
    // Zero has two signs, which mean the same.
    return scaled / scale === value && stored <= most && stored >= -most ? stored + 0 : this.keep(name, value);
  }

  text(name: string, value: string | null | undefined): void {
    if (value !== null && value !== undefined) this.keep(name, value);
  }
}

export const encode = (position: NewPosition): Cell[] =>
  encodeOf(position, position.deviceId, position.created, position.judged ?? null);

/** What a device reported of a position, without whose it is, when it was received, and what became of it. */
type ReportedCells = Omit<NewPosition, 'deviceId' | 'created' | 'judged'>;

/** The same, where the cells need not be put together in one object first. */
export function encodeOf(
  position: ReportedCells,
  deviceId: number,
  created: number,
  judged: StoredPosition['judged'],
): Cell[] {
  const to = new Encoding();
  const { timestamp, locationType, isLocatedByGateways, currentUsed, locatingGateways, cell } = position;
  const delay = created - timestamp;
  const kind = TYPES.get(locationType)! | (judged ? JUDGED[judged] : 0) | (isLocatedByGateways ? SIGHTED_BIT : 0);
  const cells: Cell[] = [
    deviceId,
    timestamp,
    Math.abs(delay) <= LARGE ? delay : to.keep('created', created),
    to.number('locationLat', position.locationLat, 1e7, LARGE),
    to.number('locationLng', position.locationLng, 1e7, LARGE),
    to.number('speed', position.speed, 100, LARGE),
    to.number('altitude', position.altitude, 100, LARGE),
    to.number('course', position.course, 100, SMALL, COURSE_OFFSET),
    to.number('accuracy', position.accuracy, 100, LARGE),
    kind === 0 ? null : kind,
    to.number('sats', position.sats, 1, SMALL),
    to.number('hdop', position.hdop, 1000, LARGE),
    to.number('batteryPct', position.batteryPct, 100, SMALL),
    to.number('batteryVoltage', position.batteryVoltage, 1000, LARGE),
    to.number('averageCharge', position.averageCharge, 1, SMALL),
    to.number('sendReason', position.sendReason, 1, SMALL),
    to.number('alertType', position.alertType, 1, SMALL),
    to.number('mode', position.mode, 1, SMALL),
    to.number('gsmSignal', position.gsmSignal, 100, SMALL),
    null,
  ];
  if (currentUsed !== null && currentUsed !== undefined) to.keep('currentUsed', currentUsed);
  if (locatingGateways) to.keep('locatingGateways', JSON.parse(locatingGateways));
  if (cell) to.keep('cell', JSON.parse(cell));
  to.text('address', position.address);
  to.text('correlationId', position.correlationId);
  to.text('stringValue', position.stringValue);
  to.text('num_value', position.num_value);
  to.text('reportedHash', position.reportedHash);
  if (to.extra !== undefined) cells[cells.length - 1] = JSON.stringify(to.extra);
  return cells;
}
