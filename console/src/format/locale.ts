/**
 * How numbers and times are written. The texts are English, so the viewer's own kind of English where they have one; to
 * others "15 Nov 2026, 14:30" is the plainest. A translation brings its own.
 */
export const LOCALE = navigator.languages?.find((language) => /^en(-|$)/i.test(language)) ?? 'en-GB';
