import { fr } from '@trackway/contract/wording/fr.ts';

export const alarms = fr.alarms;
