import type { ImportedPosition } from '@trackway/contract/resources/fleet-tools/history-import.ts';

/** A position in a file. Time in epoch milliseconds. */
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

/** The reason why a file cannot be read, with the line. */
export class HistoryProblem extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(`Line ${line}: ${message}`);
    this.name = 'HistoryProblem';
    this.line = line;
  }
}

/** Parses a number; undefined if it is none. */
export function numberIn(text: unknown): number | undefined {
  if (typeof text === 'number') return Number.isFinite(text) ? text : undefined;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

const YEAR_2000_S = 946_684_800;
const YEAR_2200_S = 7_258_118_400;

/** Parses a time: ISO 8601, in UTC unless it has an offset, or seconds or milliseconds since 1970. */
export function timeIn(text: unknown): number | undefined {
  const number = numberIn(text);
  if (number !== undefined) return number > YEAR_2200_S ? number : number >= YEAR_2000_S ? number * 1000 : undefined;
  if (typeof text !== 'string') return undefined;
  const iso = text.trim().replace(/^(\d{4})[-/](\d\d)[-/](\d\d)[ T]/, '$1-$2-$3T');
  const time = Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(iso) ? iso : `${iso}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** Rounds only the digits that a unit conversion adds: the server normalizes values like values of devices. */
const cellOf = (value: number | undefined) => (value === undefined ? null : Number(value.toFixed(9)));

/** The compact form for sending. */
export function positionCells(position: HistoryPosition): ImportedPosition {
  const { timestamp, lat, lng, speedKmh, altitudeM, courseDeg, accuracyM, batteryPct } = position;
  const values = [lat, lng, speedKmh, altitudeM, courseDeg, accuracyM, batteryPct];
  const cells: (number | null)[] = [timestamp, ...values.map(cellOf)];
  while (cells.at(-1) === null) cells.pop();
  return cells;
}
