import type { FleetReportKind } from '@trackway/contract/resources/fleet-report.ts';
import type { FleetReportRow } from '../../api/reports/reports.ts';
import type { ReportPlace } from '../../map/report-layer.ts';

/** Whose rows have places: those that say where, and visits by their geofences. */
export const HAS_PLACES: ReadonlySet<FleetReportKind> = new Set(['trips', 'stops', 'visits', 'speeding']);

export const placesOf = (rows: readonly FleetReportRow[]): ReportPlace[] =>
  rows.flatMap(({ startLocation: from, endLocation: to }) => (from ? [to ? { from, to } : { from }] : []));

/** Kinds that can be told of chosen geofences alone. */
export const HAS_FENCES: ReadonlySet<FleetReportKind> = new Set(['visits', 'speeding']);
