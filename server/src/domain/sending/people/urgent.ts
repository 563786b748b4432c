import { TRIGGER_TYPES, type TriggerType } from '@trackway/contract/triggers.ts';

const TYPES: Readonly<Record<string, TriggerType>> = TRIGGER_TYPES;

/** Whether people are told whatever the hour, and however old the news is. */
export const isUrgent = (triggerType: string): boolean => TYPES[triggerType]?.urgent === true;
