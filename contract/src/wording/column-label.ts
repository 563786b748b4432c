import type { Messages } from '../messages/types.ts';
import type { FleetReportKind, ReportColumn } from '../resources/fleet-report.ts';

/** The heading of a column in a report of a kind. */
export function columnLabel({ columns }: Messages['reportWords'], kind: FleetReportKind, column: ReportColumn): string {
  if (column === 'startLocation' && (kind === 'stops' || kind === 'speeding' || kind === 'idling'))
    return columns.location;
  if (kind === 'notifications' || kind === 'messages') {
    if (column === 'start') return columns.first;
    if (column === 'end') return columns.last;
  }
  return columns[column];
}
