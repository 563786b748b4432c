import { CHANNEL_KINDS } from '@trackway/contract/channels.ts';
import type { Geofence } from '../api/geofences.ts';
import type { Units } from '../format/quantities.ts';
import type { ClauseParts } from '../texts/en/triggers.ts';
import { t } from '../texts/t.ts';
import type { TriggerDraft } from './trigger-draft.ts';
import { said, scales } from './trigger-units.ts';

const words = t.triggers;
const MANY = '…';

export interface Names {
  readonly device: string;
  /** Of the device that a nearness is about. */
  readonly other: string;
  readonly fences: readonly Geofence[];
  readonly units: Units;
}

/** "When Van 3 leaves Depot for 2 minutes, e-mail me." */
export function sentenceOf(draft: TriggerDraft, names: Names): string {
  if (draft.type === undefined) return '';
  const clause = words.clauses[draft.type](names.device, partsOf(draft, names));
  return words.sentence(clause, waysOf(draft), draft.muteFor);
}

function partsOf({ type, parameters }: TriggerDraft, { other, fences, units }: Names): ClauseParts {
  const number = (name: string) => (typeof parameters[name] === 'number' ? parameters[name] : undefined);
  const text = (name: string) => (typeof parameters[name] === 'string' ? parameters[name] : '');
  const { speed, way, near, warmth } = scales(units);
  const fence = fences.find(({ id }) => id === parameters.zoneId);
  const dwell = (fence?.meta ?? {}) as { enterAfter?: number; exitAfter?: number };
  const limitScale = type === 'speed' ? speed : type === 'distance' ? way : undefined;
  const bound = (name: 'min' | 'max') => {
    const value = number(name);
    if (value === undefined) return undefined;
    return type === 'temp' || type === 'temp_bme' ? said(warmth, value) : value.toLocaleString();
  };
  const limit = number('limit');
  return {
    zone: fence ? (fence.name ?? t.geofences.unnamed) : zoneWords(parameters.zoneId, text('zoneGroup')),
    zoneType: parameters.zoneType === 'inside' || parameters.zoneType === 'outside' ? parameters.zoneType : 'cross',
    enterAfter: dwell.enterAfter ?? 0,
    exitAfter: dwell.exitAfter ?? 0,
    limit: limit === undefined ? MANY : limitScale ? said(limitScale, limit) : limit.toLocaleString(),
    min: bound('min'),
    max: bound('max'),
    threshold: number('threshold') ?? 30,
    lasts: number('for') ?? 0,
    after: number('after') ?? 0,
    days: Array.isArray(parameters.days) ? parameters.days : [],
    readingType: text('readingType'),
    other,
    near: said(near, number('meters') ?? 50),
    mask: number('mask'),
  };
}

function zoneWords(zoneId: unknown, group: string): string {
  if (typeof zoneId === 'number') return words.fields.goneZone(zoneId);
  return group ? words.zonesOf(group) : words.anyZone;
}

function waysOf({ ways, addresses }: TriggerDraft): string[] {
  return CHANNEL_KINDS.filter((way) => ways[way]).map((way) => t.channels[way].clause((addresses[way] ?? '').trim()));
}
