import { CHANNEL_KINDS, type Channel } from '@trackway/contract/channels.ts';
import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { alertsIn } from '@trackway/contract/wording/sentence.ts';
import type { Geofence } from '../api/geofences.ts';
import { allOf, anyOf, inSentence } from '../texts/counting.ts';
import { t } from '../texts/t.ts';
import type { Units } from '../units.ts';
import { alarmInWords } from './alarm-words.ts';
import type { TriggerDraft } from './trigger-draft.ts';
import { saidParameter } from './trigger-units.ts';

const words = t.triggers;
const MANY = '…';
const ZONE_TYPES = ['inside', 'outside', 'other'] as const;

export interface Names {
  readonly device: string;
  /** The same after "of" and "at", where a language has another form for what is not a name. */
  readonly ofDevice?: string;
  /** The name of the other device of a proximity trigger. */
  readonly other: string;
  readonly fences: readonly Geofence[];
  readonly units: Units;
}

/** "When Van 3 has been outside Depot for 2 minutes, e-mail me." */
export function sentenceOf(draft: TriggerDraft, names: Names): string {
  if (draft.type === undefined) return '';
  const clause = words.clauses[draft.type](partsOf(draft.type, draft.parameters, names));
  const muteFor = draft.muteFor > 0 ? lasting(draft.muteFor, t.durations.days) : undefined;
  return words.sentence({ clause, channels: allOf(waysOf(draft)), muteFor });
}

/** The values of a sentence about a trigger, in the units of the viewer. */
function partsOf(
  type: TriggerTypeName,
  parameters: TriggerDraft['parameters'],
  { device, ofDevice = device, other, fences, units }: Names,
) {
  const number = (name: string) => (typeof parameters[name] === 'number' ? parameters[name] : undefined);
  const text = (name: string) => (typeof parameters[name] === 'string' ? parameters[name] : '');
  const list = (name: string): readonly unknown[] => (Array.isArray(parameters[name]) ? parameters[name] : []);
  const shown = (name: string) => saidParameter(type, name, number(name), units);
  const since = (seconds = 0) => (seconds > 0 ? lasting(seconds, t.durations.sinceDays) : undefined);
  const fence = fences.find(({ id }) => id === parameters.zoneId);
  const dwell = (fence?.meta ?? {}) as { enterAfter?: number; exitAfter?: number };
  const { zoneType } = parameters;
  return {
    device,
    ofDevice,
    zone: fence ? (fence.name ?? t.geofences.unnamed) : zoneWords(parameters.zoneId, text('zoneGroup')),
    zoneType: ZONE_TYPES.find((one) => one === zoneType) ?? 'other',
    enterAfter: since(dwell.enterAfter),
    exitAfter: since(dwell.exitAfter),
    limit: shown('limit') ?? MANY,
    min: shown('min'),
    max: shown('max'),
    threshold: shown('threshold') ?? MANY,
    lasts: since(number('for')),
    after: since(number('after')),
    days: daysIn(list('days') as readonly number[]),
    readingType: text('readingType'),
    other,
    meters: shown('meters') ?? MANY,
    alerts: alertWords(number('mask') ?? 0),
    alarms: anyOf(list('alarms').map((alarm) => alarmInWords(String(alarm)))),
  };
}

/** "2 minutes", "1 hour 30 minutes": durations inside a sentence. */
function lasting(seconds: number, days: (values: { readonly count: number }) => string): string {
  const words = t.durations;
  if (seconds < 60) return words.seconds({ count: Math.round(seconds) });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return words.minutes({ count: minutes });
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours >= 24) return days({ count: Math.round(hours / 24) });
  return [words.hours({ count: hours }), ...(rest > 0 ? [words.minutes({ count: rest })] : [])].join(' ');
}

/** Undefined for any day. */
const daysIn = (days: readonly number[]) =>
  days.length === words.dayNames.length ? undefined : anyOf(days.map((day) => words.dayNames[day]!));

/** Undefined for any alert; `unknown` if none of them has a name. */
function alertWords(bits: number): string | undefined {
  if (bits === 0) return undefined;
  return anyOf(alertsIn(t.events, bits).map(inSentence)) || 'unknown';
}

function zoneWords(zoneId: unknown, group: string): string {
  if (typeof zoneId === 'number') return words.fields.goneZone({ id: zoneId });
  return group ? words.zonesOf({ group }) : words.anyZone;
}

function waysOf({ ways, addresses }: TriggerDraft): string[] {
  return CHANNEL_KINDS.filter((way) => ways[way]).map((way) => {
    const { clause } = t.channels[way];
    return typeof clause === 'string' ? clause : clause({ address: shortAddress(way, (addresses[way] ?? '').trim()) });
  });
}

/** The host of a webhook, unless it is on the server itself, the name of a queue, and a topic without its protocol. */
function shortAddress(way: Channel, address: string): string {
  if (way === 'http') {
    const { host = '', hostname = '' } = URL.canParse(address) ? new URL(address) : {};
    return /^(127\.|localhost$)/.test(hostname) ? '' : host;
  }
  if (way === 'ntfy') return address.replace(/^https?:\/\//i, '');
  return way === 'sqs' ? address.split(':').at(-1)! : address;
}
