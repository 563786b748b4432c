import type { ImportedPosition } from '@trackway/contract/resources/fleet-tools/history-import.ts';

/** What is known of a position in a file. Time in epoch milliseconds. */
export interface HistoryPosition {
  readonly timestamp: number;
  readonly lat: number;
  readonly lng: number;
  readonly speedKmh?: number;
  readonly altitudeM?: number;
  readonly courseDeg?: number;
  readonly accuracyM?: number;
  readonly batteryPct?: number;
}

/** Why a file cannot be read, and in which line. */
export class HistoryProblem extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(`Line ${line}: ${message}`);
    this.name = 'HistoryProblem';
    this.line = line;
  }
}

/** Numbers of a file as texts; undefined where it is none. */
export function numberIn(text: unknown): number | undefined {
  if (typeof text === 'number') return Number.isFinite(text) ? text : undefined;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

const YEAR_2000_S = 946_684_800;
const YEAR_2200_S = 7_258_118_400;

/** A time as files write it: ISO 8601, in UTC where it names no zone, or seconds or milliseconds since 1970. */
export function timeIn(text: unknown): number | undefined {
  const number = numberIn(text);
  if (number !== undefined) return number > YEAR_2200_S ? number : number >= YEAR_2000_S ? number * 1000 : undefined;
  if (typeof text !== 'string') return undefined;
  const iso = text.trim().replace(/^(\d{4})[-/](\d\d)[-/](\d\d)[ T]/, '$1-$2-$3T');
  const time = Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(iso) ? iso : `${iso}Z`);
  return Number.isNaN(time) ? undefined : time;
}

const round = (value: number | undefined, digits: number) =>
  value === undefined ? null : Number(value.toFixed(digits));

/** As it is sent: as short as it can be. */
export function positionCells(position: HistoryPosition): ImportedPosition {
  const { timestamp, lat, lng, speedKmh, altitudeM, courseDeg, accuracyM, batteryPct } = position;
  const cells: (number | null)[] = [timestamp, round(lat, 7), round(lng, 7)];
  cells.push(round(speedKmh, 2), round(altitudeM, 1), round(courseDeg, 1), round(accuracyM, 1), round(batteryPct, 0));
  while (cells.at(-1) === null) cells.pop();
  return cells;
}
