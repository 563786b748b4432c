import { TRIGGER_TYPES, type TriggerType } from '@trackway/contract/triggers.ts';

const TYPES: Readonly<Record<string, TriggerType>> = TRIGGER_TYPES;

/** Whether people are notified in quiet hours too, and however old the event is. */
export const isUrgent = (triggerType: string): boolean => TYPES[triggerType]?.urgent === true;
