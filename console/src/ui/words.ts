import { t } from '../texts/t.ts';

/** The few words that the parts themselves say. */
export const words = t.ui;
