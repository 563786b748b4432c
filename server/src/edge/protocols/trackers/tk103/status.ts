import { cellReadings, type NearCell } from '../record/networks.ts';
import { countOf, decimalOf, epochOfDigits, hexOf, readingsOf } from '../text/numbers.ts';
import type { TrackerRecord } from '../tracker.ts';

const LEVELS: Readonly<Record<string, number>> = { 2: 10, 3: 20, 4: 50, 5: 80, 6: 100 };
const NONE = 65_535;

/** ddmmyy, hhmmss, battery level, battery voltage × 100, supply voltage × 10 */
export function batteryOf([date, time, level = '', battery, power]: readonly string[]): TrackerRecord {
  const [volts, supply] = [countOf(battery), countOf(power)];
  return {
    timestamp: epochOfDigits(date, 'dmy', time),
    isValid: false,
    batteryPct: LEVELS[level],
    batteryVoltage: volts === undefined || volts === NONE ? undefined : volts / 100,
    readings: readingsOf({ ext_voltage: supply === undefined || supply === NONE ? undefined : supply / 10 }),
  };
}

/** mcc, mnc, lac, cid, count of networks, count × mac*rssi*channel, ddmmyy, hhmmss */
export function radioOf(fields: readonly string[]): TrackerRecord {
  const [mcc, mnc, lac, cid] = fields.slice(0, 4).map(countOf);
  const [date, time] = fields.slice(-2);
  const wifi = fields.flatMap((field) => {
    const [, mac, rssi] = /^((?:[0-9a-f]{2}:){5}[0-9a-f]{2})\*([+-]?\d{1,3})\*/i.exec(field) ?? [];
    return mac === undefined ? [] : [{ mac: mac.toUpperCase(), rssi: Number(rssi) }];
  });
  return {
    timestamp: epochOfDigits(date, 'dmy', time),
    isValid: false,
    readings: [
      ...cellReadings([{ mcc, mnc, lac: lac ?? 0, cid: cid ?? 0 }]),
      ...(wifi.length > 0 ? [{ type: 'wifi', value: wifi }] : []),
    ],
  };
}

/** `,mcc,mnc,lac,cid,lac,cid,…,status` with hexadecimal cells; or `{mcc,mnc,lac,cid}`, one per line. */
export function cellsIn(data: string): TrackerRecord {
  const lists = [...data.matchAll(/\{(\d+),(\d+),(\d+),(\d+)[^}]*\}/g)].slice(0, 20);
  const [, odometer] = /\},([0-9a-f]{8})$/i.exec(data) ?? [];
  const cells = lists.length > 0 ? lists.map(([, ...cell]) => cellOf(cell, countOf)) : hexCells(data);
  return {
    isValid: false,
    readings: [...cellReadings(cells), ...readingsOf({ odometer_m: hexOf(odometer) })],
  };
}

function hexCells(data: string): NearCell[] {
  const [mcc = '', mnc = '', ...rest] = data.replace(/^,/, '').split(',');
  const pairs = Array.from({ length: Math.floor(Math.min(rest.length, 40) / 2) }, (_, index) => rest.slice(index * 2));
  const read = pairs.filter(([lac, cid]) => hexOf(lac) !== undefined && /^[0-9a-f]{1,7}$/i.test(cid ?? ''));
  return read.map(([lac, cid]) => ({
    mcc: countOf(mcc),
    mnc: countOf(mnc),
    lac: hexOf(lac)!,
    cid: hexOf(cid)!,
  }));
}

const cellOf = ([mcc, mnc, lac, cid]: readonly string[], read: (text?: string) => number | undefined): NearCell => ({
  mcc: read(mcc),
  mnc: read(mnc),
  lac: read(lac) ?? 0,
  cid: read(cid) ?? 0,
});

const PACK_BYTES = { charge: 52, volts: 55, level: 57 };

/** Data of a vehicle's battery management system, in hexadecimal, little-endian. */
export function batteryPackOf(data: string): TrackerRecord | undefined {
  const bytes = Buffer.from(data, 'hex');
  if (bytes.length <= PACK_BYTES.level) return undefined;
  const level = bytes[PACK_BYTES.level]!;
  return {
    isValid: false,
    isCharging: bytes[PACK_BYTES.charge] === 0,
    batteryVoltage: decimalOf(`${bytes.readUInt16LE(PACK_BYTES.volts) / 100}`),
    batteryPct: level <= 100 ? level : undefined,
  };
}
