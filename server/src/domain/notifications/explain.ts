import type { notification } from '@trackway/contract/resources/notification.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { NotificationRow } from '../schema/rows/rule-rows.ts';

interface Evidence {
  readonly pointId: number;
  readonly at: number;
  readonly distanceM: number;
  readonly accuracyM: number;
  readonly confidence: number;
  readonly stopped: boolean;
}

interface Recorded {
  readonly kind: string;
  readonly at: number;
  readonly decidedAt: number;
  readonly parameters: Record<string, unknown>;
  readonly triggerVersion: number;
  readonly facts: Record<string, unknown> & { evidence?: Evidence[]; thresholds?: { enter: number; exit: number } };
}

/** Why a trigger fired, by the facts that were recorded then. */
export function explain(shown: Shown<typeof notification>, row: Omit<NotificationRow, 'id'>) {
  const recorded = JSON.parse(row.explanation) as Recorded;
  const { facts, parameters, triggerVersion, decidedAt } = recorded;
  const iso = (at: number) => new Date(at).toISOString();
  const evidence = facts.evidence?.map((one) => ({ ...one, at: iso(one.at) }));
  return {
    notification: shown,
    trigger: { id: row.triggerId, version: triggerVersion, parameters },
    because: { ...facts, ...(evidence && { evidence }), decidedAt: iso(decidedAt) },
    sentence: [whyOf(recorded), fateOf(row)].filter(Boolean).join(' '),
  };
}

function whyOf({ kind, facts }: Recorded): string {
  const { evidence: [first] = [], thresholds, interpolated, confidence } = facts;
  if (interpolated)
    return `Between two fixes its way led through the geofence, with a confidence of ${percent(confidence as number)}.`;
  if (first && thresholds) {
    const where = first.stopped ? 'The place where it stood was' : 'Its fix was';
    const edge = `${Math.round(Math.abs(first.distanceM))} m ${first.distanceM < 0 ? 'inside' : 'outside'} the edge`;
    const [side, sure, needed] =
      kind === 'entry'
        ? ['inside', first.confidence, thresholds.enter]
        : ['outside', 1 - first.confidence, 1 - thresholds.exit];
    return `${where} ${edge}, accurate to ${Math.round(first.accuracyM)} m: ${side} with a confidence of ${percent(sure)}, and ${percent(needed)} is enough.`;
  }
  if (facts.value !== undefined) return `The value was ${JSON.stringify(facts.value)}${limitOf(facts)}.`;
  return 'It follows from what the device reported.';
}

const LIMITS = { limit: 'limit', threshold: 'threshold', min: 'lower bound', max: 'upper bound' };

/** What the value was compared with, as far as it was. */
function limitOf(facts: Recorded['facts']): string {
  const given = Object.entries(LIMITS).filter(([name]) => facts[name] !== undefined);
  return given.map(([name, word]) => `; the ${word} is ${facts[name]}`).join('');
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

function fateOf({ status, reason, late, people }: Omit<NotificationRow, 'id'>): string {
  if (status !== 'valid') return `It is ${status}: ${reason}.`;
  if (!people) return 'It was old news when it was recorded, so it was sent to machines only.';
  return late ? 'It was found by data that arrived late.' : '';
}
