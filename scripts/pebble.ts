import { goProgramPlace, haveGoProgram } from './go-program.ts';

const PEBBLE = 'github.com/letsencrypt/pebble/v2/cmd/pebble@v2.10.1';

export const PEBBLE_MISSING =
  'NO CERTIFICATE IS OBTAINED FROM PEBBLE: it is missing. Install Go, or set TRACKWAY_TEST_PEBBLE.';

/** The certificate authority of the slow tests. */
export const pebblePlace = (): string | undefined => process.env.TRACKWAY_TEST_PEBBLE ?? goProgramPlace(PEBBLE);

/** Builds it, if possible; otherwise its tests are skipped. */
export function havePebble(): void {
  if (pebblePlace() === undefined && haveGoProgram(PEBBLE) === undefined)
    console.error(`\n*** ${PEBBLE_MISSING} ***\n`);
}
