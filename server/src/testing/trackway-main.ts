import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');

/** The command from source, as `npm start` runs it. */
export const SOURCE_MAIN = resolve(ROOT, 'cli/src/main.ts');

/**
 * The command as tests start it. A run of all tests compiles it once, as for a release, since it starts in a third of
 * the time then; a single file is tested from source.
 */
export const MAIN = process.env.TRACKWAY_TEST_MAIN ?? SOURCE_MAIN;
