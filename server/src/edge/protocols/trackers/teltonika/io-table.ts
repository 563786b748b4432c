import { isPrintable } from '../frame/cursor.ts';
import type { TrackerRecord } from '../tracker.ts';

/** The meaning of one value for its record. */
export type IoFacts = Pick<TrackerRecord, 'hdop' | 'batteryPct' | 'batteryVoltage' | 'gsmSignal' | 'readings'>;
export type IoReader = (bytes: Buffer) => IoFacts;

interface NumberOptions {
  readonly divisor?: number;
  readonly isSigned?: boolean;
  /** Raw values that mean an error. */
  readonly isError?: (raw: number) => boolean;
}

export const unsignedOf = (bytes: Buffer) =>
  bytes.length <= 6 ? bytes.readUIntBE(0, bytes.length) : Number(bytes.readBigUInt64BE(0));
const signedOf = (bytes: Buffer) => bytes.readIntBE(0, bytes.length);

const one = (type: string, value: unknown): IoFacts => ({ readings: [{ type, value }] });
const nothing = (): IoFacts => ({});

const flag =
  (type: string): IoReader =>
  (bytes) =>
    one(type, unsignedOf(bytes) > 0);

function number(type: string, { divisor = 1, isSigned, isError }: NumberOptions = {}): IoReader {
  return (bytes) => {
    const raw = isSigned ? signedOf(bytes) : unsignedOf(bytes);
    return isError?.(raw) ? {} : one(type, raw / divisor);
  };
}

const text =
  (type: string): IoReader =>
  (bytes) => {
    const value = bytes.toString('latin1').replaceAll('\0', '').trim();
    return value === '' || !isPrintable(Buffer.from(value, 'latin1')) ? {} : one(type, value);
  };

/** `reversed`: the bytes of an iButton are sent in reverse order. */
const identifier =
  (type: string, isReversed: boolean): IoReader =>
  (bytes) =>
    bytes.every((byte) => byte === 0)
      ? {}
      : one(
          type,
          Buffer.from(isReversed ? bytes.toReversed() : bytes)
            .toString('hex')
            .toUpperCase(),
        );

const oneOf =
  (type: string, words: readonly string[]): IoReader =>
  (bytes) => {
    const word = words[unsignedOf(bytes)];
    return word === undefined ? {} : one(type, word);
  };

const numbered = (type: string, index: number) => (index === 0 ? type : `${type}${index + 1}`);

/** 850 not ready, 2000 not read, 3000 not connected, 4000 id not read, 5000 not ready. */
const isDallasError = (raw: number) => [850, 2000, 3000, 4000, 5000].includes(raw);
/** 4000 abnormal, 3000 not found, 2000 not understood; firmware since 03.28: 32735 and above. */
const isBleError = (raw: number) => [2000, 3000, 4000].includes(raw) || raw >= 32_735;
const isNoPercent = (raw: number) => raw > 100;

type Row = readonly [id: number, width: number | 'variable', read: IoReader];

const each = (ids: readonly number[], width: number, readerOf: (index: number) => IoReader): Row[] =>
  ids.map((id, index) => [id, width, readerOf(index)]);

/** The same on all known families. */
const COMMON: readonly Row[] = [
  [239, 1, flag('ignition')],
  [240, 1, flag('moving')],
  ...each([1, 2, 3, 4], 1, (index) => flag(`din${index + 1}`)),
  ...each([179, 180], 1, (index) => flag(`dout${index + 1}`)),
  [9, 2, number('ain1', { divisor: 1000 })],
  [10, 2, number('ain2', { divisor: 1000 })],
  [11, 2, number('ain3', { divisor: 1000 })],
  [66, 2, number('ext_voltage', { divisor: 1000 })],
  [67, 2, (bytes) => ({ batteryVoltage: unsignedOf(bytes) / 1000 })],
  [68, 2, number('battery_ma')],
  [113, 1, (bytes) => (unsignedOf(bytes) > 100 ? {} : { batteryPct: unsignedOf(bytes) })],
  [16, 4, number('odometer_m')],
  [199, 4, number('trip_m')],
  [21, 1, (bytes) => ({ gsmSignal: unsignedOf(bytes) })],
  // The record itself contains the speed.
  [24, 2, nothing],
  [181, 2, number('pdop', { divisor: 10 })],
  [182, 2, (bytes) => ({ hdop: unsignedOf(bytes) / 10 })],
  [69, 1, oneOf('gnss_status', ['off', 'fix', 'no fix', 'sleep'])],
  [200, 1, oneOf('sleep_mode', ['none', 'gps', 'deep', 'online', 'ultra'])],
  [78, 8, identifier('driver_id', true)],
  [207, 8, identifier('driver_id', false)],
  ...each([72, 73, 74, 75], 4, (index) =>
    number(numbered('temp', index), { divisor: 10, isSigned: true, isError: isDallasError }),
  ),
  ...each([72, 73, 74, 75], 2, (index) =>
    number(numbered('temp', index), { divisor: 10, isSigned: true, isError: isDallasError }),
  ),
  ...each([86, 104, 106, 108], 2, (index) =>
    number(numbered('ble_humidity', index), { divisor: 10, isError: (raw) => raw > 1000 }),
  ),
  [29, 1, number('ble_battery', { isError: isNoPercent })],
  [20, 1, number('ble_battery2', { isError: isNoPercent })],
  ...each([10800, 10801, 10802, 10803], 2, (index) =>
    number(numbered('eye_temp', index), { divisor: 100, isSigned: true, isError: isBleError }),
  ),
  ...each([10804, 10805, 10806, 10807], 1, (index) =>
    number(numbered('eye_humidity', index), { isError: isNoPercent }),
  ),
  ...each([10824, 10825, 10826, 10827], 2, (index) =>
    number(numbered('eye_battery_mv', index), { isError: (raw) => raw === 0 || raw >= 32_735 }),
  ),
  ...each([10644, 10645, 10646, 10647, 10648, 10649], 2, (index) =>
    number(numbered('probe_temp', index), { divisor: 100, isSigned: true, isError: (raw) => raw >= 32_735 }),
  ),
  [250, 1, flag('trip')],
  [256, 'variable', text('vin')],
  [325, 'variable', text('vin')],
  [281, 'variable', text('dtc')],
  [389, 4, (bytes) => one('obd_odometer_m', unsignedOf(bytes) * 1000)],
  // Asset trackers: the low nibble is the kind of button press.
  [389, 'variable', (bytes) => (bytes.length > 0 ? one('button', bytes[bytes.length - 1]! & 0x0f) : {})],
  [662, 1, flag('door')],
];

/** For all families except the professional one (FMB640 and the like), which uses these ids with other meanings. */
const ORDINARY: readonly Row[] = [
  [6, 2, number('ain2', { divisor: 1000 })],
  [380, 1, flag('dout3')],
  ...each([25, 26, 27, 28], 2, (index) =>
    number(numbered('ble_temp', index), { divisor: 100, isSigned: true, isError: isBleError }),
  ),
  [22, 1, number('ble_battery3', { isError: isNoPercent })],
  [23, 1, number('ble_battery4', { isError: isNoPercent })],
  [30, 1, number('dtc_count')],
  [31, 1, number('engine_load')],
  [32, 1, number('engine_temp', { isSigned: true })],
  [36, 2, number('rpm')],
  [37, 1, number('obd_speed')],
  [48, 1, number('fuel_pct', { isError: isNoPercent })],
  [81, 1, number('obd_speed')],
  [82, 1, number('throttle')],
  [85, 2, number('rpm')],
  [87, 4, number('obd_odometer_m')],
  [89, 1, number('fuel_pct', { isError: isNoPercent })],
  [115, 2, number('engine_temp', { divisor: 10, isSigned: true })],
];

const keyOf = (id: number, width: number | 'variable') => id * 32 + (width === 'variable' ? 31 : width);
const tableOf = (rows: readonly Row[]) => new Map(rows.map(([id, width, read]) => [keyOf(id, width), read]));

const commonReaders = tableOf(COMMON);
const ordinaryReaders = tableOf(ORDINARY);

export function ioReaderOf(id: number, width: number | 'variable', isProfessional: boolean): IoReader | undefined {
  const key = keyOf(id, width);
  return commonReaders.get(key) ?? (isProfessional ? undefined : ordinaryReaders.get(key));
}
