import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { useMemory } from './memory.ts';
import { ROOT } from './step.ts';
import { Report } from './testing/report.ts';
import { runFiles } from './testing/workers.ts';

/**
 * Runs test files and ends when its standard input ends: `run-tests.ts [--verbose] [--without pattern]… pattern…`. The
 * files run in the order of the patterns, each once, many in a process.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    verbose: { type: 'boolean', default: false },
    without: { type: 'string', multiple: true, default: [] },
  },
});
/** One more than there are cores, because files spend some of their time waiting for browsers and disks. */
const PROCESSES = availableParallelism() + 1;

await import('../server/src/testing/ends-with-parent.ts');
// An end by a signal also removes what is temporary.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const found = (patterns: readonly string[]) =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: (name) => name === 'node_modules' }).sort());

useMemory();
const without = new Set(found(values.without));
const files = [...new Set(found(positionals))].filter((file) => !without.has(file)).map((file) => join(ROOT, file));
if (files.length === 0) throw new Error(`There is no test file at ${positionals.join(' ')}`);

// Every process loads the same sources: compiled once, they load in a fraction of the time.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/compiled');
const report = new Report(files, values.verbose);
await runFiles(files, PROCESSES, report);
// A failed file runs again, alone. If it passes then, the run passes, and its first failures are reported as UNSTABLE.
if (!values.verbose) await runFiles(report.repeat(), 1, report);
if (!report.end((file) => `npm test -- ${file}`)) process.exitCode = 1;
