import { duration } from '../../format/quantities.ts';
import { exactTime } from '../../format/times.ts';
import type { LatLng } from '../../map/place.ts';
import { t } from '../../texts/t.ts';

/** What an explanation rests on, as the server tells it: read with care, since every type of trigger has its own. */

const words = t.notifications.facts;
type Json = Readonly<Record<string, unknown>>;

export interface EvidenceOfFix {
  readonly pointId: number;
  readonly at: string;
  readonly place: LatLng;
  readonly distanceM: number;
  readonly accuracyM: number;
  readonly confidence: number;
  readonly stopped: boolean;
}

export const percentOf = (share: number) => `${Math.round(share * 100)} %`;

export const evidenceOf = (because: Json): readonly EvidenceOfFix[] =>
  Array.isArray(because.evidence) ? (because.evidence as EvidenceOfFix[]).filter(({ place }) => isPlace(place)) : [];

export const zoneOf = (because: Json) => because.zone as { id: number; name: string | null } | undefined;

export const isPlace = (value: unknown): value is LatLng =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as LatLng).lat === 'number' &&
  typeof (value as LatLng).lng === 'number';

/** What is known besides the fixes; what a type does not have is left out. */
export function factsOf(because: Json, happened: string): [string, string][] {
  const thresholds = (because.thresholds ?? {}) as Record<string, number | undefined>;
  const facts: [string, string | undefined][] = [
    [words.sure, because.decidedAt === happened ? undefined : timeIn(because.decidedAt)],
    [words.zone, zoneOf(because)?.name ?? undefined],
    [words.confidence, typeof because.eventConfidence === 'number' ? percentOf(because.eventConfidence) : undefined],
    [words.interpolated, because.interpolated === true ? t.notifications.yes : undefined],
    [words.enter, thresholds.enter === undefined ? undefined : percentOf(thresholds.enter)],
    [words.exit, thresholds.exit === undefined ? undefined : percentOf(thresholds.exit)],
    [words.enterAfter, thresholds.enterAfter ? duration(thresholds.enterAfter) : undefined],
    [words.exitAfter, thresholds.exitAfter ? duration(thresholds.exitAfter) : undefined],
    [words.value, valueIn(because.value)],
    [words.limit, valueIn(because.limit)],
    [words.threshold, valueIn(because.threshold)],
    [words.min, valueIn(because.min)],
    [words.max, valueIn(because.max)],
    [words.since, timeIn(because.since)],
    [words.alerts, valueIn(because.alerts)],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
}

/** Times inside facts are epoch milliseconds, or texts. */
function timeIn(value: unknown): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  return Number.isNaN(new Date(value).getTime()) ? undefined : exactTime(value);
}

function valueIn(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value.toLocaleString(undefined, { maximumFractionDigits: 2 });
  return typeof value === 'string' ? value : JSON.stringify(value);
}
