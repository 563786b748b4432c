import type { FleetReportKind } from '@trackway/contract/resources/fleet-report.ts';
import type { FleetReportRow } from '../../api/reports/reports.ts';
import type { ReportPlace } from '../../map/report-layer.ts';

/** Report kinds with places: those with coordinates, and visits by their geofences. */
export const HAS_PLACES: ReadonlySet<FleetReportKind> = new Set(['trips', 'stops', 'visits', 'speeding', 'idling']);

export const placesOf = (rows: readonly FleetReportRow[]): ReportPlace[] =>
  rows.flatMap(({ startLocation: from, endLocation: to }) => (from ? [to ? { from, to } : { from }] : []));

/** Report kinds that can be limited to geofences. */
export const HAS_FENCES: ReadonlySet<FleetReportKind> = new Set(['visits', 'speeding']);

/** Report kinds with a speed limit. */
export const HAS_LIMIT: ReadonlySet<FleetReportKind> = new Set(['speeding', 'drivers']);
