import { en } from '@trackway/contract/wording/en.ts';

/** What trackers raise, as people say it. */
export const alarms = en.alarms;
