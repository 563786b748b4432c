import { messagesIn } from '@trackway/contract/messages/messages.ts';
import type { Messages } from '@trackway/contract/messages/types.ts';
import { type ReasonDetails, reasonIn } from '@trackway/contract/wording/reason.ts';

/** A stored and sent reason: a sentence in English, and with a code, the values for other languages. */
export interface Because {
  readonly reason: string;
  /** `ReasonDetails` as JSON. */
  readonly reasonDetails?: string | null;
}

export type ReasonCode = keyof Messages['reasons'];
type ReasonValues = Readonly<Record<string, string | number | ReasonDetails | undefined>>;

const MAX_LENGTH = 500;

/** The reason with the sentence of the English catalog. */
export function because(code: ReasonCode, values: ReasonValues = {}): Required<Because> {
  const details = { ...values, code };
  const reason = reasonIn(messagesIn('en').reasons, details)!.slice(0, MAX_LENGTH);
  return { reason, reasonDetails: JSON.stringify(details) };
}

/** For a row that has no reason any more. */
export const NO_REASON = { reason: null, reasonDetails: null } as const;

/** A reason as a value of another one. */
export const within = ({ reason, reasonDetails }: Because): string | ReasonDetails =>
  reasonDetails ? (JSON.parse(reasonDetails) as ReasonDetails) : reason;
