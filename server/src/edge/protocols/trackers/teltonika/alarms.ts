import type { AlarmWord } from '../alarm-words.ts';
import { unsignedOf } from './io-table.ts';
import type { AvlRecord } from './records.ts';

/** The zones of the device in their order: 155 is the first, 231 the fiftieth. */
const ZONES = new Set([
  155, 156, 157, 158, 159, 61, 62, 63, 64, 65, 70, 88, 91, 92, 93, 94, 95, 96, 97, 98, 99, 153, 154, 190, 191, 192, 193,
  194, 195, 196, 197, 198, 208, 209, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231,
]);
const AUTOMATIC_ZONE = 175;

type ByValue = (value: number) => AlarmWord | undefined;
const whenSet =
  (alarm: AlarmWord): ByValue =>
  (value) =>
    value > 0 ? alarm : undefined;

const EVENTS: ReadonlyMap<number, ByValue> = new Map<number, ByValue>([
  [239, (value) => (value > 0 ? 'ignitionOn' : 'ignitionOff')],
  [246, whenSet('tow')],
  // 4 and 5 are the track around a crash, which was reported before.
  [247, (value) => (value > 0 && value !== 4 && value !== 5 ? 'crash' : undefined)],
  [249, whenSet('jamming')],
  [253, (value) => ([undefined, 'harshAcceleration', 'harshBraking', 'harshCornering'] as const)[value]],
  [255, whenSet('overspeed')],
]);

/** These mean other things on the professional family. */
const ORDINARY_EVENTS: ReadonlyMap<number, ByValue> = new Map<number, ByValue>([
  [236, whenSet('sos')],
  [251, whenSet('idle')],
  [252, (value) => (value > 0 ? 'powerCut' : 'powerRestored')],
]);

/** A value is an event only in the record that it caused: it is sent with every other record too. */
export function alarmOf({ eventId, io }: AvlRecord, isProfessional: boolean): AlarmWord | undefined {
  const cause = io.find(({ id, bytes, isVariable }) => id === eventId && bytes.length === 1 && !isVariable);
  if (!cause) return undefined;
  const value = unsignedOf(cause.bytes);
  if (!isProfessional && (ZONES.has(eventId) || eventId === AUTOMATIC_ZONE)) return zoneAlarm(value);
  return EVENTS.get(eventId)?.(value) ?? (isProfessional ? undefined : ORDINARY_EVENTS.get(eventId)?.(value));
}

/** 2: not too fast any more. */
const zoneAlarm = (value: number): AlarmWord | undefined =>
  (['geofenceExit', 'geofenceEnter', undefined, 'overspeed'] as const)[value];
