import { de } from '@trackway/contract/wording/de.ts';

export const alarms = de.alarms;
