import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Preloaded into processes of a test run: notes what each took when it ends, with all processes it started and awaited. */

const [, file] = process.argv;
const notes = process.env.TRACKWAY_TEST_TIMES;

/** The kernel reports times in hundredths of a second. */
const TICKS_PER_SECOND = 100;

if (isMainThread && file && notes)
  process.once('exit', () => {
    try {
      const fields = readFileSync('/proc/self/stat', 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      appendFileSync(notes, `${JSON.stringify({ file, seconds: ticks / TICKS_PER_SECOND })}\n`);
    } catch {
      // Only Linux tells.
    }
  });
