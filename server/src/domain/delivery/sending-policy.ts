import { TRIGGER_TYPES, type TriggerType } from '@trackway/contract/triggers.ts';

/** What the operator decided about sending. */
export interface SendingPolicy {
  /** The address of the console; empty if not configured. */
  readonly publicUrl: string;
  /** News that is older than this when it is recorded is sent to machines only. */
  readonly oldNewsMs: number;
  readonly mail: MailPolicy;
}

/** About mail to people who are not the user. */
export interface MailPolicy {
  /** Whether a mail with a link can be sent, to ask whether they want it. */
  readonly canAsk: boolean;
  /** The most notifications a day that a user mails to others; 0 = any number. */
  readonly toOthersPerDay: number;
}

export const DEFAULT_POLICY: SendingPolicy = {
  publicUrl: '',
  oldNewsMs: 3_600_000,
  mail: { canAsk: false, toOthersPerDay: 200 },
};

const TYPES: Readonly<Record<string, TriggerType>> = TRIGGER_TYPES;

/** Whether people are notified in quiet hours too, and however old the event is. */
export const isUrgent = (triggerType: string): boolean => TYPES[triggerType]?.urgent === true;
