/** The result of a check: fine, a warning, or a problem that prevents the service from working. */
export interface Finding {
  readonly verdict: 'ok' | 'warn' | 'FAIL';
  readonly sentence: string;
}

export const ok = (sentence: string): Finding => ({ verdict: 'ok', sentence });
export const warn = (sentence: string): Finding => ({ verdict: 'warn', sentence });
export const fail = (sentence: string): Finding => ({ verdict: 'FAIL', sentence });
