import type { HeardReading, TrackerReading, TrackerRecord } from '../tracker.ts';
import { BEACONS, beaconsIn } from './beacons.ts';
import { type IoFacts, ioReaderOf, unsignedOf } from './io-table.ts';
import type { IoValue } from './records.ts';
import { TAGS, tagsIn } from './tags.ts';

type Status = Omit<IoFacts, 'readings'> & Required<Pick<TrackerRecord, 'readings' | 'heard'>>;

/** Values that make one reading together, or none without another. */
const TOGETHER = {
  accelerometer: [17, 18, 19],
  cell: [205, 636],
  area: 206,
  operator: 241,
  simCard: [11, 14],
  driver: [195, 196],
} as const;

/** These are alarms in the record that they cause, and nothing in others. */
const EVENT_ONLY = new Set([175, 236, 246, 247, 249, 251, 252, 253, 255]);

/** On old devices 22 and 23 are something else: they are batteries of sensors only where those sensors are. */
const BATTERY_OF = new Map([
  [22, 27],
  [23, 28],
]);

/** What the values of a record say. Those without a known meaning are kept in one reading, `io`. */
export function statusOf(io: readonly IoValue[], isProfessional: boolean): Status {
  const readings: TrackerReading[] = [];
  const heard: HeardReading[] = [];
  let facts: IoFacts = {};
  const unknown: Record<string, number | string> = {};
  const byId = new Map(io.filter(({ isVariable }) => !isVariable).map((value) => [value.id, value.bytes]));
  const taken = new Set<number>();
  for (const reading of combined(byId, taken)) readings.push(reading);
  for (const { id, bytes, isVariable } of io) {
    if (isVariable && id === BEACONS) heard.push(...beaconsIn(bytes));
    else if (isVariable && TAGS.has(id)) heard.push(...tagsIn(bytes));
    else if (taken.has(id) && !isVariable) continue;
    else {
      const sensor = BATTERY_OF.get(id);
      const read =
        sensor !== undefined && !byId.has(sensor)
          ? undefined
          : ioReaderOf(id, isVariable ? 'variable' : bytes.length, isProfessional);
      if (read) {
        const { readings: told = [], ...more } = read(bytes);
        facts = { ...facts, ...more };
        readings.push(...told);
      } else if (isProfessional || isVariable || !EVENT_ONLY.has(id)) unknown[id] = rawOf(bytes, isVariable);
    }
  }
  if (Object.keys(unknown).length > 0) readings.push({ type: 'io', value: unknown });
  return { ...facts, readings, heard };
}

function* combined(byId: ReadonlyMap<number, Buffer>, taken: Set<number>): Generator<TrackerReading> {
  const axes = TOGETHER.accelerometer.map((id) => byId.get(id));
  if (axes.every((bytes) => bytes?.length === 2)) {
    for (const id of TOGETHER.accelerometer) taken.add(id);
    yield { type: 'accel_3d', value: axes.map((bytes) => bytes!.readInt16BE(0) / 1000) };
  }
  yield* cellIn(byId, taken);
  const sim = TOGETHER.simCard.map((id) => byId.get(id)).filter((bytes) => bytes?.length === 8);
  if (sim.length > 0) {
    for (const id of TOGETHER.simCard) taken.add(id);
    const digits = sim.map((bytes) => bytes!.readBigUInt64BE(0)).filter((part) => part > 0n);
    if (digits.length > 0) yield { type: 'iccid', value: digits.join('') };
  }
  const driver = TOGETHER.driver.map((id) => byId.get(id));
  if (driver.every((bytes) => bytes?.length === 8)) {
    for (const id of TOGETHER.driver) taken.add(id);
    const name = Buffer.concat(driver as Buffer[])
      .toString('latin1')
      .replaceAll('\0', '')
      .trim();
    if (/^[\x20-\x7e]+$/.test(name)) yield { type: 'driver_id', value: name };
  }
}

function* cellIn(byId: ReadonlyMap<number, Buffer>, taken: Set<number>): Generator<TrackerReading> {
  const numberAt = (id: number) => {
    const bytes = byId.get(id);
    return bytes && bytes.length <= 4 ? unsignedOf(bytes) : undefined;
  };
  for (const id of [...TOGETHER.cell, TOGETHER.area, TOGETHER.operator]) if (byId.has(id)) taken.add(id);
  const cid = TOGETHER.cell.map(numberAt).find((value) => value);
  const lac = numberAt(TOGETHER.area);
  const operator = String(numberAt(TOGETHER.operator) ?? '');
  if (operator.length < 5) return;
  const network = { mcc: Number(operator.slice(0, 3)), mnc: Number(operator.slice(3)) };
  if (cid && lac) yield { type: 'cell', value: { ...network, lac, cid } };
  else yield { type: 'operator', value: operator };
}

function rawOf(bytes: Buffer, isVariable: boolean | undefined): number | string {
  const isNumber = !isVariable && (bytes.length <= 4 || (bytes.length === 8 && bytes[0] === 0 && bytes[1]! < 0x20));
  return isNumber ? unsignedOf(bytes) : bytes.toString('hex');
}
