import { FLEET_REPORTS, type FleetReportKind } from '@trackway/contract/resources/fleet-report.ts';
import { type DayRange, PERIODS, type Period } from './period.ts';
import { HAS_FENCES, HAS_LIMIT } from './report-places.ts';

/** The parameters of a report, as in the address, so that a report can be bookmarked. */
export interface ReportChoice {
  readonly kind: FleetReportKind;
  readonly period: Period;
  /** Fixed days instead of the period. */
  readonly days?: DayRange;
  readonly deviceId?: number;
  readonly groupId?: number;
  readonly tag?: string;
  /** For visits and speeding: only these geofences. */
  readonly fenceIds?: number[];
  /** In km/h. */
  readonly limit?: number;
}

const idIn = (text: string | null) => (/^[1-9]\d{0,14}$/.test(text ?? '') ? Number(text) : undefined);

const dayIn = (text: string | null) =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;

export function choiceIn(search: URLSearchParams): ReportChoice {
  const kind = FLEET_REPORTS.find((one) => one === search.get('kind')) ?? 'summary';
  const period = PERIODS.find((one) => one === search.get('period')) ?? 'week';
  const [from, to] = [dayIn(search.get('from')), dayIn(search.get('to'))];
  const [deviceId, groupId] = [idIn(search.get('device')), idIn(search.get('group'))];
  const tag = search.get('tag')?.slice(0, 100) || undefined;
  const fenceIds = (search.get('fences') ?? '').split(',').flatMap((text) => idIn(text) ?? []);
  const limit = Number(search.get('limit'));
  return {
    kind,
    period,
    ...(from !== undefined && to !== undefined && { days: { from, to } }),
    ...(deviceId !== undefined ? { deviceId } : groupId !== undefined ? { groupId } : tag !== undefined ? { tag } : {}),
    ...(HAS_FENCES.has(kind) && fenceIds.length > 0 && { fenceIds }),
    ...(HAS_LIMIT.has(kind) && limit >= 1 && limit <= 1000 && { limit }),
  };
}

/** The selection of devices for the API. */
export const devicesIn = ({ deviceId, groupId, tag }: ReportChoice) => ({
  ...(deviceId !== undefined && { deviceIds: [deviceId] }),
  ...(groupId !== undefined && { groupId }),
  ...(tag !== undefined && { tag }),
});
