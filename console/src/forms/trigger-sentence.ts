import { CHANNEL_KINDS } from '@trackway/contract/channels.ts';
import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Geofence } from '../api/geofences.ts';
import { t } from '../texts/t.ts';
import type { ClauseParts } from '../texts/trigger-parts.ts';
import type { Units } from '../units.ts';
import { alarmInWords } from './alarm-words.ts';
import type { TriggerDraft } from './trigger-draft.ts';
import { saidParameter } from './trigger-units.ts';

const words = t.triggers;
const MANY = '…';

export interface Names {
  readonly device: string;
  /** Of the other device of a proximity trigger. */
  readonly other: string;
  readonly fences: readonly Geofence[];
  readonly units: Units;
}

/** "When Van 3 has been outside Depot for 2 minutes, e-mail me." */
export function sentenceOf(draft: TriggerDraft, names: Names): string {
  if (draft.type === undefined) return '';
  const clause = words.clauses[draft.type](names.device, partsOf(draft.type, draft.parameters, names));
  return words.sentence(clause, waysOf(draft), draft.muteFor);
}

function partsOf(
  type: TriggerTypeName,
  parameters: TriggerDraft['parameters'],
  { other, fences, units }: Names,
): ClauseParts {
  const number = (name: string) => (typeof parameters[name] === 'number' ? parameters[name] : undefined);
  const text = (name: string) => (typeof parameters[name] === 'string' ? parameters[name] : '');
  const shown = (name: string) => saidParameter(type, name, number(name), units);
  const fence = fences.find(({ id }) => id === parameters.zoneId);
  const dwell = (fence?.meta ?? {}) as { enterAfter?: number; exitAfter?: number };
  return {
    zone: fence ? (fence.name ?? t.geofences.unnamed) : zoneWords(parameters.zoneId, text('zoneGroup')),
    zoneType: parameters.zoneType === 'inside' || parameters.zoneType === 'outside' ? parameters.zoneType : 'cross',
    enterAfter: dwell.enterAfter ?? 0,
    exitAfter: dwell.exitAfter ?? 0,
    limit: shown('limit') ?? MANY,
    min: shown('min'),
    max: shown('max'),
    threshold: shown('threshold') ?? MANY,
    lasts: number('for') ?? 0,
    after: number('after') ?? 0,
    days: Array.isArray(parameters.days) ? parameters.days : [],
    readingType: text('readingType'),
    other,
    meters: shown('meters') ?? MANY,
    mask: number('mask'),
    alarms: Array.isArray(parameters.alarms) ? parameters.alarms.map((alarm) => alarmInWords(String(alarm))) : [],
  };
}

function zoneWords(zoneId: unknown, group: string): string {
  if (typeof zoneId === 'number') return words.fields.goneZone(zoneId);
  return group ? words.zonesOf(group) : words.anyZone;
}

function waysOf({ ways, addresses }: TriggerDraft): string[] {
  return CHANNEL_KINDS.filter((way) => ways[way]).map((way) => t.channels[way].clause((addresses[way] ?? '').trim()));
}
