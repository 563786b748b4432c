import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { dot, spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { useMemory } from './memory.ts';
import { ROOT } from './step.ts';
import { ProcessorTimes } from './testing/processor-times.ts';
import { together } from './testing/together.ts';

/**
 * Runs test files and ends when its standard input ends: `run-tests.ts [--reporter dot] [--first pattern]…
 * [--together pattern]… [pattern…]`. Each file has its own process, and runs once. Those that match `--first` start
 * first, so that no slow one runs alone at the end. Those that match `--together` follow, many in a process.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    reporter: { type: 'string', default: 'spec' },
    first: { type: 'string', multiple: true, default: [] },
    together: { type: 'string', multiple: true, default: [] },
  },
});
const END_WITH_PARENT = join(ROOT, 'server/src/testing/ends-with-parent.ts');
const MOST_SHOWN = 25;
/** Two more than there are cores, because most files spend much of their time waiting for servers and browsers. */
const CONCURRENCY = availableParallelism() + 2;
/** Only a process that hangs takes this long, even on a busy machine. */
const LIMIT_MS = 20 * 60_000;

await import(END_WITH_PARENT);
// An end by a signal also removes what is temporary.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
/** The files of some patterns that no earlier pattern named. */
const found = (patterns: readonly string[]) =>
  patterns
    .flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: (name) => name === 'node_modules' }).sort())
    .map((file) => join(ROOT, file))
    .filter((file) => !seen.has(file) && seen.add(file));
const seen = new Set<string>();

useMemory();
const files = [...found(values.first), ...together(found(values.together)), ...found(positionals)];
if (files.length === 0) throw new Error(`No file is named by ${process.argv.slice(2).join(' ')}`);

// Each file is a process that loads the same sources: compiled once, they load in a fraction of the time.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/compiled');
const times = new ProcessorTimes();
const took: { file: string; ms: number }[] = [];
const execArgv = ['--import', END_WITH_PARENT, '--import', times.preload];
const events = run({ files, concurrency: CONCURRENCY, timeout: LIMIT_MS, execArgv });
events.on('test:fail', () => {
  process.exitCode = 1;
});
events.on('test:summary', ({ file, duration_ms: ms }) => {
  if (file) took.push({ file, ms });
});
events.on('end', () => {
  const processor = times.read();
  const all = took.map(({ file, ms }) => ({ file, wall: ms / 1000, busy: processor.get(file) ?? 0 }));
  const sum = all.reduce((seconds, { busy }) => seconds + busy, 0);
  console.log(`\nProcessor time of all files: ${sum.toFixed(0)} s. Those that took most of it, and how long they ran:`);
  for (const { file, wall, busy } of all.sort((a, b) => b.busy - a.busy).slice(0, MOST_SHOWN))
    console.log(`${busy.toFixed(1)} s ${wall.toFixed(1)} s ${relative(ROOT, file)}`);
});
const output = values.reporter === 'dot' ? events.compose(dot) : events.compose(new spec());
output.pipe(process.stdout);
