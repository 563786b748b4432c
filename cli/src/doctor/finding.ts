/** What a check found: fine, worth a look, or in the way of the service. */
export interface Finding {
  readonly verdict: 'ok' | 'warn' | 'FAIL';
  readonly sentence: string;
}

export const ok = (sentence: string): Finding => ({ verdict: 'ok', sentence });
export const warn = (sentence: string): Finding => ({ verdict: 'warn', sentence });
export const fail = (sentence: string): Finding => ({ verdict: 'FAIL', sentence });
