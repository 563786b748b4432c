import { parseArgs } from 'node:util';
import { machine } from './machine.ts';
import { publish, type Row, tableOf } from './publish.ts';
import { isMet, type Trial } from './trial.ts';
import { TRIALS } from './trials.ts';

const HELP = `npm run trials [-- NAME… --full --tries N --publish]

Tries to break the server, and counts what it lost, doubled or did wrong.

  --full      as many tries as the published figures have; takes about an hour
  --tries N   this many tries of each
  --publish   write the table to docs/operations/reliability.md

${Object.entries(TRIALS)
  .map(([name, { about, tries }]) => `  ${name.padEnd(22)}${about} (${tries.quick}, full ${tries.full})`)
  .join('\n')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean' },
    tries: { type: 'string' },
    publish: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const unknown = positionals.filter((name) => !(name in TRIALS));
if (values.help || unknown.length > 0 || !/^[1-9]\d*$/.test(values.tries ?? '1')) {
  console.log(HELP);
  for (const name of unknown) console.error(`\nThere is no trial ${name}.`);
  process.exit(values.help ? 0 : 1);
}

console.log(`${machine()}\n`);
const rows: Row[] = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(TRIALS)) {
  const trial: Trial = TRIALS[name]!;
  const missing = trial.missing?.();
  if (missing !== undefined) {
    console.error(`*** NOT TRIED: ${name}, since ${missing} ***`);
    rows.push({ name, about: trial.about, missing });
    continue;
  }
  rows.push({ name, about: trial.about, ...(await tried(name, trial)) });
}
console.log(`\n${tableOf(rows)}`);
if (values.publish) publish(rows, Object.keys(TRIALS));
// Threads and pools of the harness may still be open.
process.exit(rows.some(({ verdict }) => verdict === 'MISS') ? 1 : 0);

async function tried(name: string, trial: Trial): Promise<Partial<Row>> {
  const tries = values.tries ? Number(values.tries) : values.full ? trial.tries.full : trial.tries.quick;
  const started = Date.now();
  let reported = 0;
  try {
    const result = await trial.run(tries, (done, text = '') => {
      if (Date.now() - reported < 5000) return;
      reported = Date.now();
      console.log(`${name}: ${done} of ${tries} ${text}`);
    });
    const verdict = isMet(trial, result) ? 'pass' : 'MISS';
    const seconds = Math.round((Date.now() - started) / 1000);
    console.log(`${name}: ${verdict} ${JSON.stringify(result)} in ${seconds} s`);
    return { result, verdict, seconds };
  } catch (error) {
    console.error(`${name}: stopped by an error`, error);
    return { verdict: 'MISS', missing: `it was stopped by an error: ${(error as Error).message.split('\n')[0]}` };
  }
}
