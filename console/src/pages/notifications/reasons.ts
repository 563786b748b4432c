import type { ParameterUnit } from '@trackway/contract/triggers.ts';
import { LOCALE } from '../../format/locale.ts';
import { duration } from '../../format/quantities.ts';
import { exactTime } from '../../format/times.ts';
import { isKnownType } from '../../forms/trigger-draft.ts';
import { said, scaleOf, unitOfType } from '../../forms/trigger-units.ts';
import type { LatLng } from '../../geo/place.ts';
import { t } from '../../texts/t.ts';
import type { Units } from '../../units.ts';

/** The facts of an explanation as the server recorded them. They differ by trigger type, so each is optional. */

const words = t.notifications.facts;
const YES = t.notifications.yes;
type Json = Readonly<Record<string, unknown>>;

/** Formats quantities for the viewer: the result of `useFormat`. */
export interface Quantities {
  readonly units: Units;
  readonly distance: (metres: number) => string;
  readonly temperature: (celsius: number) => string;
}

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

/** The smallest share for each word of `sureness`. */
const SURENESS = [0.995, 0.95, 0.7, 0.5, 0];

/** In words, with a percentage if it is not certain: "Certain", "Likely (82 %)". */
export function surenessOf(share: number): string {
  const { sureness, sureWith } = t.notifications;
  const at = SURENESS.findIndex((least) => share >= least);
  const word = sureness.at(at)!;
  return at === 0 ? word : sureWith({ word, percent: percentOf(share) });
}

/** The confidence that a fix is on the side of the edge that its distance says. */
export const surenessOfSide = ({ confidence }: Pick<EvidenceOfFix, 'confidence'>) =>
  surenessOf(Math.max(confidence, 1 - confidence));

/** The confidence that the entry or exit happened. */
export const confidenceOf = ({ eventConfidence }: Json): number | undefined =>
  typeof eventConfidence === 'number' ? eventConfidence : undefined;

/** Facts other than the evidence; facts that a type does not have are left out. */
export function factsOf(type: string, because: Json, happened: string, format: Quantities): [string, string][] {
  const confidence = confidenceOf(because);
  const quantity = (name: string) => quantityOf(type, because[name], format);
  const facts: [string, string | undefined][] = [
    [words.sure, timeIn(because.decidedAt, happened)],
    [words.zone, zoneOf(because)?.name ?? undefined],
    [words.confidence, confidence === undefined ? undefined : surenessOf(confidence)],
    [words.interpolated, because.interpolated === true ? YES : undefined],
    ...thresholdsOf(because),
    [words.value, quantity('value')],
    [words.limit, quantity('limit')],
    [words.threshold, quantity('threshold')],
    [words.min, quantity('min')],
    [words.max, quantity('max')],
    [words.since, timeIn(because.since, happened)],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
}

/** The geofence's thresholds for this kind of crossing. */
function thresholdsOf(because: Json): [string, string | undefined][] {
  const { enter, exit, enterAfter, exitAfter } = (because.thresholds ?? {}) as Record<string, number | undefined>;
  const isExit = because.crossType === 'exit';
  const required = !isExit ? enter : exit === undefined ? undefined : 1 - exit;
  return [
    [words.required, required === undefined ? undefined : percentOf(required)],
    [words.insideFor, !isExit && enterAfter ? duration(enterAfter) : undefined],
    [words.outsideFor, isExit && exitAfter ? duration(exitAfter) : undefined],
  ];
}

/** A value or limit of a trigger of this type, in the units of the viewer. */
export function quantityOf(type: string, value: unknown, format: Quantities): string | undefined {
  if (typeof value !== 'number') return valueIn(value);
  const unit = isKnownType(type) ? unitOfType(type) : undefined;
  return unit === undefined ? valueIn(value) : IN_UNIT[unit](value, format);
}

const IN_UNIT: Readonly<Record<ParameterUnit, (value: number, format: Quantities) => string>> = {
  // As precise as the message: a rounded speed could equal its limit.
  'km/h': (value, format) => said(scaleOf('km/h', format.units), value),
  km: (value, format) => format.distance(value * 1000),
  m: (value, format) => format.distance(value),
  '°C': (value, format) => format.temperature(value),
  '%': (value) => `${valueIn(value)} ${t.triggers.units.percent}`,
  hPa: (value) => `${valueIn(value)} ${t.triggers.units.hpa}`,
  lx: (value) => `${valueIn(value)} ${t.triggers.units.lux}`,
};

/** Times inside facts are epoch milliseconds, or texts. A time that is already shown is left out. */
export function timeIn(value: unknown, known?: string): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const at = new Date(value).getTime();
  return Number.isNaN(at) || (known !== undefined && at === Date.parse(known)) ? undefined : exactTime(at);
}

function valueIn(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value.toLocaleString(LOCALE, { maximumFractionDigits: 2 });
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Why a notification was not sent, or was retracted. */
export const outcomeReason = (status: 'suppressed' | 'retracted' | (string & {})): string =>
  status === 'suppressed' ? t.reasons.muted : t.reasons.laterData;
