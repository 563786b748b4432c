import type { Severity } from '@trackway/contract/severities.ts';

/** The form state of severity and escalation, for triggers and rules. */
export interface WatchDraft {
  readonly severity: Severity;
  /** Seconds; 0 = never. */
  readonly escalateAfter: number;
  /** An e-mail address; empty for the user’s own. */
  readonly escalateTo: string;
}

interface Watched {
  readonly severity: Severity;
  readonly escalateAfter: number;
  readonly escalation: Readonly<Record<string, unknown>> | null;
}

export const NEW_WATCH: WatchDraft = { severity: 'info', escalateAfter: 0, escalateTo: '' };

export function watchDraftOf({ severity, escalateAfter, escalation }: Watched): WatchDraft {
  const { parameters } = (escalation ?? {}) as { parameters?: { email?: unknown } };
  return { severity, escalateAfter, escalateTo: String(parameters?.email ?? '') };
}

/**
 * The fields to send. An escalation by other channels, which only the API can set, is kept if nothing was changed here.
 */
export function watchBodyOf(draft: WatchDraft, before?: Watched) {
  const { severity, escalateAfter } = draft;
  const email = draft.escalateTo.trim();
  const isSame = before !== undefined && watchDraftOf(before).escalateTo === email && before.escalation !== null;
  const escalation = isSame
    ? { ...before.escalation }
    : { delivery: { email: true }, parameters: email === '' ? {} : { email } };
  return { severity, escalateAfter, escalation: escalateAfter === 0 ? null : escalation };
}
