import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { dot, spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { useMemory } from './memory.ts';
import { ROOT } from './step.ts';

/**
 * Runs test files, each in its own process, and ends when its standard input ends: `run-tests.ts [--reporter dot]
 * pattern…`. Files start in the order of the patterns, each once, so that slow ones can be named first.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { reporter: { type: 'string', default: 'spec' } },
});
const END_WITH_PARENT = join(ROOT, 'server/src/testing/ends-with-parent.ts');
const SLOWEST_SHOWN = 15;
/** Two more than there are cores, because most files spend much of their time waiting for servers and browsers. */
const CONCURRENCY = availableParallelism() + 2;
/** Only a file that hangs takes this long, even on a busy machine. */
const LIMIT_MS = 8 * 60_000;

await import(END_WITH_PARENT);
const found = positionals.flatMap((pattern) =>
  globSync(pattern, { cwd: ROOT, exclude: (name) => name === 'node_modules' })
    .map((file) => join(ROOT, file))
    .sort(),
);
const files = [...new Set(found)];
if (files.length === 0) throw new Error(`No file is named by ${positionals.join(' ')}`);

useMemory();
// Each file is a process that loads the same sources: compiled once, they load in a fraction of the time.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/compiled');
const took: { file: string; ms: number }[] = [];
const execArgv = ['--import', END_WITH_PARENT];
const events = run({ files, concurrency: CONCURRENCY, timeout: LIMIT_MS, execArgv });
events.on('test:fail', () => {
  process.exitCode = 1;
});
events.on('test:summary', ({ file, duration_ms: ms }) => {
  if (file) took.push({ file: relative(ROOT, file), ms });
});
events.on('end', () => {
  const slowest = took.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST_SHOWN);
  console.log('\nThe slowest files:');
  for (const { file, ms } of slowest) console.log(`${(ms / 1000).toFixed(1)} s ${file}`);
});
const output = values.reporter === 'dot' ? events.compose(dot) : events.compose(new spec());
output.pipe(process.stdout);
