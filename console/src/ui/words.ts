import { t } from '../texts/t.ts';

/** Texts of the UI components themselves. */
export const words = t.ui;
