import { type ParameterUnit, TRIGGER_TYPES, type TriggerType, type TriggerTypeName } from '../triggers.ts';
import { type Quantities, quantitiesIn } from './quantities.ts';
import type { Units } from './units.ts';
import type { Happening, Wording } from './words.ts';

/** How somebody is spoken to. */
export interface Reader {
  readonly wording: Wording;
  /** How numbers are written. */
  readonly locale: string;
  readonly units: Units;
}

type Json = Readonly<Record<string, unknown>>;

/** The device as its owner calls it, and the `params` of a notification about it. */
export interface Happened {
  readonly device: string;
  readonly params: Json;
}

/**
 * What happened, to a reader in their language and units, from `params.meta`. `params.message` says the same in English
 * and metric units; it stands in for types that are not known here.
 */
export function happenedTo({ device, params }: Happened, { wording, locale, units }: Reader): string {
  const { type, message } = params;
  const meta = (params.meta ?? {}) as Json;
  if (!isTriggerType(type)) return String(message ?? type);
  const sentence = wording.happened[type](device, happeningOf(type, meta, wording, quantitiesIn(locale, units)));
  const { unacknowledgedFor } = meta;
  return typeof unacknowledgedFor === 'number' ? wording.unacknowledged(unacknowledgedFor, sentence) : sentence;
}

const isTriggerType = (type: unknown): type is TriggerTypeName =>
  typeof type === 'string' && Object.hasOwn(TRIGGER_TYPES, type);

function happeningOf(type: TriggerTypeName, meta: Json, wording: Wording, quantities: Quantities): Happening {
  const said = (value: unknown) => saidIn(type, value, quantities);
  const { value, min, max, limit, zone, alerts, raised, otherName, by, meters } = meta;
  const isBelow = typeof min === 'number' && typeof value === 'number' && value < min;
  return {
    value: said(value),
    limit: said(limit),
    below: isBelow ? said(min) : undefined,
    above: isBelow ? undefined : said(max ?? limit),
    zone: (zone as { readonly name?: string | null } | undefined)?.name ?? undefined,
    isEntry: meta.crossType !== 'exit',
    lasted: typeof meta.lasted === 'number' ? meta.lasted : 0,
    silentFor: typeof meta.after === 'number' ? meta.after : 0,
    readingType: String(meta.type ?? ''),
    alarm: alarmIn(wording, String(value)),
    alerts: alertsIn(wording, Number(raised ?? alerts ?? 0)),
    other: typeof otherName === 'string' ? otherName : undefined,
    apart: by === 'ble_seen' || typeof meters !== 'number' ? undefined : quantities.length(meters),
    isRounded: meta.isRounded === true,
    task: String(meta.task ?? ''),
    rest: restIn(meta, quantities),
  };
}

function restIn({ isDue, restKm, restS }: Json, quantities: Quantities): string | number | undefined {
  if (isDue === true) return undefined;
  if (typeof restKm === 'number') return quantities.way(Math.max(0, restKm));
  return typeof restS === 'number' ? Math.max(0, restS) : undefined;
}

/** `harshBraking` as people say it; a word that is not known as it is. */
export const alarmIn = ({ alarms }: Wording, alarm: string): string =>
  Object.hasOwn(alarms, alarm) ? alarms[alarm as keyof typeof alarms] : alarm;

const alertsIn = ({ alerts }: Wording, bits: number) => alerts.filter((_, bit) => (bits & (1 << bit)) !== 0);

interface Measured {
  readonly unit?: ParameterUnit;
}

/** A value that is no number is shown as it was sent, in bounds. */
const MOST_CHARACTERS = 100;

function saidIn(type: TriggerTypeName, value: unknown, quantities: Quantities): string {
  if (typeof value !== 'number') return (JSON.stringify(value) ?? '').slice(0, MOST_CHARACTERS);
  const { parameters }: TriggerType = TRIGGER_TYPES[type];
  const unit = Object.values(parameters as Readonly<Record<string, Measured>>).find((one) => one.unit)?.unit;
  switch (unit) {
    case 'km/h':
      return quantities.speed(value);
    case 'km':
      return quantities.way(value);
    case 'm':
      return quantities.length(value);
    case '°C':
      return quantities.temperature(value);
    case '%':
      return quantities.percent(value);
    case undefined:
      return quantities.number(value);
    default:
      return `${quantities.number(value)} ${unit}`;
  }
}
