import type { ReportedReading } from '../../reports.ts';
import { readingOf } from './attributes.ts';
import { nameOf, numberOf, textOf, withoutUnset } from './claims.ts';
import { MAX_NAME } from './limits.ts';

/**
 * Reads networks that a phone is connected to or receives. A cell is a reading of the phone itself; an access point is
 * another device that the phone received.
 */

export interface CellTower {
  readonly mcc: number | undefined;
  readonly mnc: number | undefined;
  readonly lac: number | undefined;
  readonly cid: number | undefined;
}

/** Returns no reading if a part of the cell's identity is missing. Signal in dBm. */
export function cellReading(
  cell: CellTower,
  rssi: number | undefined,
  timestamp: number | undefined,
): ReportedReading[] {
  if (Object.values(cell).some((part) => part === undefined)) return [];
  return [withoutUnset({ ...readingOf('cell', cell, timestamp), rssi })];
}

/** `mcc,mnc,lac,cid[,rssi]` */
export function cellFromText(text: string, timestamp: number | undefined): ReportedReading[] {
  const [mcc, mnc, lac, cid, rssi] = text.split(',', 5).map(numberOf);
  return cellReading({ mcc, mnc, lac, cid }, rssi, timestamp);
}

interface AccessPoint {
  readonly mac?: unknown;
  readonly ssid?: unknown;
  /** dBm */
  readonly rssi?: number | undefined;
}

/** The value is the network's name if known, else its signal. */
export function wifiReading({ mac, ssid, rssi }: AccessPoint, timestamp: number | undefined): ReportedReading[] {
  const sensorDeviceId = macOf(mac);
  const name = textOf(ssid, MAX_NAME);
  if (sensorDeviceId === undefined && name === undefined) return [];
  const value = name === undefined ? (rssi ?? true) : { name };
  return [withoutUnset({ ...readingOf('wifi_seen', value, timestamp), rssi, sensorDeviceId })];
}

/** `MAC,rssi` */
export function wifiFromText(text: string, timestamp: number | undefined): ReportedReading[] {
  const [mac, rssi] = text.split(',', 2);
  return wifiReading({ mac, rssi: numberOf(rssi) }, timestamp);
}

/** Normalizes to colons and capital letters; iOS omits leading zeros. */
function macOf(sent: unknown): string | undefined {
  const parts = nameOf(sent, 17)?.split(/[:-]/) ?? [];
  if (parts.length !== 6 || !parts.every((part) => /^[0-9a-f]{1,2}$/i.test(part))) return undefined;
  return parts.map((part) => part.padStart(2, '0').toUpperCase()).join(':');
}
