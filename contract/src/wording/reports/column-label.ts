import type { FleetReportKind, ReportColumn } from '../../resources/fleet-report.ts';
import type { ReportWords } from './report-words.ts';

/** The head of a column in a report of a kind. */
export function columnLabel({ columns }: ReportWords, kind: FleetReportKind, column: ReportColumn): string {
  if (column === 'startLocation' && (kind === 'stops' || kind === 'speeding')) return columns.location;
  if (kind === 'notifications' || kind === 'messages') {
    if (column === 'start') return columns.first;
    if (column === 'end') return columns.last;
  }
  return columns[column];
}
