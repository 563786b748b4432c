import type { AlarmWord } from '../alarm-words.ts';
import { newDraft, putAt, type RecordDraft, read } from '../record/draft.ts';
import type { TrackerSession } from '../tracker.ts';
import { epochOfWallTime } from '../wall-time.ts';
import { digits } from './clock.ts';

/**
 * 5501, 5502 of locks, in decimal digits: ddmmyyhhmmss, latitude ddmmmmmm, longitude dddmmmmmm and a digit of flags,
 * speed 1, course 1, then signal, satellites, odometer, battery, cell, product, status, alarms and items.
 */
export function lockReportOf(body: Buffer, isBlind: boolean, session: TrackerSession): RecordDraft | undefined {
  if (body.length < 35) return undefined;
  const draft = newDraft();
  const [day, month, year, hour, minute, second] = Array.from(body.subarray(0, 6), digits) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  draft.timestamp = epochOfWallTime({ year: 2000 + year, month, day, hour, minute, second }, session.timeZone);
  const place = body.toString('hex', 6, 15);
  const flags = Number.parseInt(place[17]!, 16);
  const lat = degrees(place.slice(0, 2), place.slice(2, 8));
  const lng = degrees(place.slice(8, 11), place.slice(11, 17));
  putAt(draft, flags & 2 ? lat : -lat, flags & 4 ? lng : -lng, !isBlind);
  draft.speedKmh = body[15]!;
  draft.courseDeg = body[16]! * 2;
  draft.gsmSignal = body[17]!;
  draft.sats = body[18]!;
  read(draft, 'odometer_m', body.readUInt32BE(19) * 1000);
  const battery = body[23]!;
  if (battery <= 100) draft.batteryPct = battery;
  else if (battery === 0xaa || battery === 0xab) draft.isCharging = true;
  if (body[30] === 3) readLock(draft, body.readUInt16BE(31), body.readUInt16BE(33));
  else draft.standingAlarms = body.readUInt16BE(33) & 1 ? ['lowExternalPower'] : [];
  readItems(draft, body);
  return draft;
}

const degrees = (whole: string, tenThousandthsOfMinutes: string) =>
  Number(whole) + Number(tenThousandthsOfMinutes) / 600_000;

function readLock(draft: RecordDraft, status: number, alarms: number): void {
  read(draft, 'engine_cut', (status & 0x20) !== 0);
  const words: (AlarmWord | undefined)[] = [
    'overspeed',
    'lowExternalPower',
    'vibration',
    'lowBattery',
    undefined,
    'geofenceEnter',
    'geofenceExit',
  ];
  draft.standingAlarms = words.filter((word, bit) => word !== undefined && (alarms >> bit) & 1) as AlarmWord[];
}

function readItems(draft: RecordDraft, body: Buffer): void {
  for (let at = 35; at + 2 <= body.length; ) {
    const end = at + 2 + body[at + 1]!;
    if (end > body.length) return;
    if (body[at] === 0x02 && end === at + 4) draft.altitudeM = body.readInt16BE(at + 2);
    if (body[at] === 0xfc && end === at + 3) read(draft, 'fence', body[at + 2]!);
    at = end;
  }
}
