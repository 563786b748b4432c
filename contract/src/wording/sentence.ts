import type { Messages } from '../messages/types.ts';
import { type ParameterUnit, TRIGGER_TYPES, type TriggerType, type TriggerTypeName } from '../triggers.ts';
import { type Quantities, quantitiesIn } from './quantities.ts';
import type { Units } from './units.ts';

type EventMessages = Pick<Messages, 'durations' | 'events'>;

/** Language and units of a recipient. */
export interface Reader {
  readonly messages: EventMessages;
  /** The locale of numbers. */
  readonly locale: string;
  readonly units: Units;
}

type Json = Readonly<Record<string, unknown>>;

/** The device name of its owner, and the `params` of a notification about it. */
export interface Happened {
  readonly device: string;
  readonly params: Json;
}

/**
 * A sentence about an event in the language and units of a reader, from `params.meta`. `params.message` is the same in
 * English and metric units; it is used for types that are not known here.
 */
export function happenedTo({ device, params }: Happened, reader: Reader): string {
  const { type, message } = params;
  const meta = (params.meta ?? {}) as Json;
  if (!isTriggerType(type)) return String(message ?? type);
  const sentence = reader.messages.events.happened[type]({ device, ...valuesOf(type, meta, reader) });
  const { unacknowledgedFor } = meta;
  return typeof unacknowledgedFor === 'number'
    ? unacknowledged(unacknowledgedFor, sentence, reader.messages)
    : sentence;
}

/** The sentence of an escalation after this many seconds. */
export const unacknowledged = (seconds: number, sentence: string, { durations, events }: EventMessages): string =>
  events.unacknowledged({ within: lastingIn(seconds, durations), sentence });

const isTriggerType = (type: unknown): type is TriggerTypeName =>
  typeof type === 'string' && Object.hasOwn(TRIGGER_TYPES, type);

/** The arguments of the sentences: `params.meta`, in the units of the reader. */
function valuesOf(type: TriggerTypeName, meta: Json, { messages, locale, units }: Reader) {
  const { durations, events } = messages;
  const quantities = quantitiesIn(locale, units);
  const said = (value: unknown) => saidIn(type, value, quantities);
  const { value, min, max, limit, zone, alerts, raised, lasted, after, otherName, by, meters } = meta;
  const isBelow = typeof min === 'number' && typeof value === 'number' && value < min;
  const alarm = alarmIn(events, String(value));
  return {
    value: said(value),
    limit: said(limit),
    below: isBelow ? said(min) : undefined,
    above: isBelow ? '' : said(max ?? limit),
    zone: (zone as { readonly name?: string | null } | undefined)?.name ?? undefined,
    crossing: meta.crossType === 'exit' ? ('exit' as const) : ('other' as const),
    lasted: typeof lasted === 'number' && lasted > 0 ? lastingIn(lasted, durations) : undefined,
    silentFor: lastingIn(typeof after === 'number' ? after : 0, durations),
    readingType: String(meta.type ?? ''),
    // Abbreviations, such as SOS, stay as they are.
    alarm: locale.startsWith('en') && alarm !== alarm.toUpperCase() ? alarm.toLowerCase() : alarm,
    alerts: alertsIn(events, Number(raised ?? alerts ?? 0)).join(', '),
    other: typeof otherName === 'string' ? otherName : undefined,
    apart: by === 'ble_seen' || typeof meters !== 'number' ? undefined : quantities.length(meters),
    isRounded: meta.isRounded === true ? ('yes' as const) : ('other' as const),
    task: String(meta.task ?? ''),
    rest: remainingIn(meta, quantities, durations),
  };
}

/** What remains until a maintenance task is due; undefined if it is due. */
function remainingIn({ isDue, restKm, restS }: Json, quantities: Quantities, durations: Durations): string | undefined {
  if (isDue === true) return undefined;
  if (typeof restKm === 'number') return quantities.way(Math.max(0, restKm));
  return typeof restS === 'number' ? lastingIn(Math.max(0, restS), durations) : undefined;
}

type Durations = Messages['durations'];

/** A duration in its largest suitable unit. */
function lastingIn(seconds: number, { seconds: inSeconds, minutes, hours, sinceDays }: Durations): string {
  if (seconds < 120) return inSeconds({ count: seconds });
  if (seconds < 7200) return minutes({ count: Math.round(seconds / 60) });
  return seconds < 172_800
    ? hours({ count: Math.round(seconds / 3600) })
    : sinceDays({ count: Math.round(seconds / 86_400) });
}

/** The text for `harshBraking`; an unknown word is returned unchanged. */
export const alarmIn = ({ alarms }: Messages['events'], alarm: string): string =>
  Object.hasOwn(alarms, alarm) ? alarms[alarm as keyof typeof alarms] : alarm;

/** The names of alerts by their bits. */
export const alertsIn = ({ alerts }: Messages['events'], bits: number): string[] =>
  alerts.filter((_, bit) => (bits & (1 << bit)) !== 0);

interface Measured {
  readonly unit?: ParameterUnit;
}

/** A value that is not a number is shown unchanged, up to this length. */
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
