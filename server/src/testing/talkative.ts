import { createLog } from '../platform/log.ts';

/** Logs so many lines for each word that it is sent, reports that on its other output, and ends with its input. */
const [lines = '1'] = process.argv.slice(2);
const log = createLog('info');
process.stdin.on('data', () => {
  for (let line = 0; line < Number(lines); line++) log.info({ line, filling: 'x'.repeat(1000) }, 'A line');
  setImmediate(() => process.stderr.write('logged\n'));
});
process.stdin.on('end', () => {
  log.info('The last line');
  process.exit(7);
});
