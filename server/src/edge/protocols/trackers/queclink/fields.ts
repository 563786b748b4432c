import { epochOfWallTime } from '../wall-time.ts';

/** A message, split at its commas. */
export interface QueclinkText {
  readonly kind: 'RESP' | 'BUFF' | 'ACK';
  /** The three letters after `GT`. */
  readonly word: string;
  readonly version?: string;
  readonly identity: string;
  /** All fields, including the header. */
  readonly fields: readonly string[];
  /** Index of the first data field. */
  readonly from: number;
  /** Index after the last data field, before the time of sending. */
  readonly to: number;
  /** The time of sending, yyyymmddhhmmss, if present. */
  readonly sent?: string;
  /** Four hexadecimal digits that count messages. */
  readonly count?: string;
}

const HEAD = /^\+(RESP|BUFF|ACK):GT([A-Z0-9]{3})$/;
const IMEI = /^\d{15}$/;
const IDENTITY = /^(?:\d{15}|[0-9A-F]{14})$/i;
const VERSION = /^[0-9A-F]{6,10}$/i;
const COUNT = /^[0-9A-F]{4}$/i;
export const TIME = /^\d{14}$/;

export function textOf(frame: Buffer): QueclinkText | undefined {
  const text = frame.toString('latin1').replace(/[$\0\s]+$/, '');
  const fields = text.split(',');
  // Some old devices send the version last.
  if (fields.length > 4 && COUNT.test(fields.at(-2)!) && /^[0-9A-F]{10}$/i.test(fields.at(-1)!)) fields.pop();
  const [, kind, word] = HEAD.exec(fields[0]!) ?? [];
  if (kind === undefined || word === undefined) return undefined;
  // Old devices send the IMEI first and the version last.
  const isOld = IMEI.test(fields[1] ?? '') && !IDENTITY.test(fields[2] ?? '');
  const identity = fields[isOld ? 1 : 2] ?? '';
  if (!IDENTITY.test(identity)) return undefined;
  const hasCount = COUNT.test(fields.at(-1)!);
  const to = fields.length - (hasCount ? 1 : 0) - (TIME.test(fields.at(hasCount ? -2 : -1)!) ? 1 : 0);
  return {
    kind: kind as QueclinkText['kind'],
    word,
    identity,
    fields,
    from: isOld ? 2 : 4,
    to: Math.max(to, isOld ? 2 : 4),
    ...(!isOld && VERSION.test(fields[1]!) ? { version: fields[1]! } : {}),
    ...(TIME.test(fields[to] ?? '') ? { sent: fields[to]! } : {}),
    ...(hasCount ? { count: fields.at(-1)! } : {}),
  };
}

/** Indexes of the longitudes of location groups: they are followed by a latitude and the time of the fix. */
export function groupsOf({ fields }: QueclinkText): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at + 2 < fields.length; at += 1)
    if (LONGITUDE.test(fields[at]!) && LATITUDE.test(fields[at + 1]!) && TIME.test(fields[at + 2]!)) found.push(at);
  return found;
}

const LONGITUDE = /^-?\d{1,3}\.\d{5,7}$/;
const LATITUDE = /^-?\d{1,2}\.\d{5,7}$/;

/** Epoch milliseconds of yyyymmddhhmmss, in UTC or the zone of the device. */
export function epochOf(digits: string | undefined, timeZone: string | undefined): number | undefined {
  if (digits === undefined || !TIME.test(digits)) return undefined;
  const part = (from: number, to: number) => Number(digits.slice(from, to));
  const [year, month, day] = [part(0, 4), part(4, 6), part(6, 8)];
  return epochOfWallTime({ year, month, day, hour: part(8, 10), minute: part(10, 12), second: part(12, 14) }, timeZone);
}

/** A number, if the field is one. */
export const numberOf = (field: string | undefined): number | undefined =>
  field !== undefined && /^[+-]?\d+(?:\.\d+)?$/.test(field) ? Number(field) : undefined;

export const isPercent = (field: string | undefined): boolean =>
  field !== undefined && /^(?:100|[1-9]?\d)$/.test(field);

/** `AABBCCDDEEFF` as `AA:BB:CC:DD:EE:FF`. */
export const macOf = (digits: string): string => digits.replace(/..(?!$)/g, '$&:').toUpperCase();
export const MAC = /^[0-9A-F]{12}$/i;
