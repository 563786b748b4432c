/** How numbers and times are written. */
export { LOCALE } from '../language.ts';
