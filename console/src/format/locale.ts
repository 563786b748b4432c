/** The format of numbers and times. */
export { LOCALE } from '../language.ts';
