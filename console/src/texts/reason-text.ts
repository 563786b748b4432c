import { type ReasonDetails, reasonIn } from '@trackway/contract/wording/reason.ts';
import { t } from './t.ts';

/** A reason in the language of the page. One without a code, or with that of a newer server, is English. */
export const reasonText = (sentence: string, details: object | null | undefined): string =>
  (details && reasonIn(t.reasons, details as ReasonDetails)) || sentence;
