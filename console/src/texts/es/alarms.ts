import { es } from '@trackway/contract/wording/es.ts';

export const alarms = es.alarms;
