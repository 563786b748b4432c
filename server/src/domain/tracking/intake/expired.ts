import { cutOf, type KeptDays } from '../../positions/kept-days.ts';
import type { LockedReportingState } from '../state/lock-state.ts';
import type { NormalizedReport } from './normalized/normalized-report.ts';
import { CELL } from './normalized/packed-point.ts';

interface KeptOfReport {
  readonly report: NormalizedReport;
  /** How many items were left out. */
  readonly expired: number;
}

type Keeper = Pick<LockedReportingState, 'keepDays' | 'forgottenUntil'>;

/**
 * Leaves out of a report what is older than what is stored of its device: it would be stored only to be forgotten. What was
 * forgotten does not come back either, though a setting allows more since.
 */
export function withoutExpired(
  report: NormalizedReport,
  { keepDays, forgottenUntil }: Keeper,
  { positions, readings }: KeptDays,
): KeptOfReport {
  // Mostly nothing is ever forgotten.
  if (positions === 0 && readings === 0 && keepDays === null && forgottenUntil === null) return { report, expired: 0 };
  const { now } = report;
  const positionsFrom = Math.max(cutOf(now, positions, keepDays) ?? 0, forgottenUntil ?? 0);
  const readingsFrom = cutOf(now, readings, keepDays) ?? 0;
  const kept = {
    points: report.points.filter((cells) => (cells[CELL.timestamp] as number) >= positionsFrom),
    readings: report.readings.filter(({ timestamp }) => timestamp >= readingsFrom),
    gatewayReadings: report.gatewayReadings.filter(({ timestamp }) => timestamp >= readingsFrom),
  };
  const lost = (list: keyof typeof kept) => report[list].length - kept[list].length;
  const expired = lost('points') + lost('readings') + lost('gatewayReadings');
  return expired === 0 ? { report, expired } : { report: { ...report, ...kept }, expired };
}
