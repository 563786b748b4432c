import type { notification } from '@trackway/contract/notification.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { NotificationRow } from '../schema/tables.ts';

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

/** Why a notification came: what it rests on, as it was recorded. */
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
  const [first] = facts.evidence ?? [];
  if (first && facts.thresholds) {
    const side = first.distanceM < 0 ? 'inside' : 'outside';
    const where = first.stopped ? 'The place where it rested was' : 'Its fix was';
    const limit =
      kind === 'entry'
        ? `at least ${percent(facts.thresholds.enter)} is an entry`
        : `at most ${percent(facts.thresholds.exit)} is an exit`;
    if (facts.interpolated)
      return `Between two fixes its way led through the zone, with a confidence of ${percent(facts.confidence as number)}.`;
    return `${where} ${Math.round(Math.abs(first.distanceM))} m ${side} the edge, known to ${Math.round(first.accuracyM)} m: inside with a confidence of ${percent(first.confidence)}, and ${limit}.`;
  }
  if (facts.value !== undefined) return `The value was ${JSON.stringify(facts.value)}.`;
  return 'It follows from what the device reported.';
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

function fateOf({ status, reason, late, people }: Omit<NotificationRow, 'id'>): string {
  if (status !== 'valid') return `It is ${status}: ${reason}.`;
  if (!people) return 'It was old news when it was recorded, so only machines are told.';
  return late ? 'It was found by data that came late.' : '';
}
