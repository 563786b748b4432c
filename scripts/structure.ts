import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ROOT } from './step.ts';

/**
 * Prints how large files and folders are. Tests do not count. `server/src/architecture.test.ts` holds the limits. With `path`
 * it prints the files that run for a position.
 */

if (process.argv[2] === 'path') {
  const { printPath } = await import('./structure-path.ts');
  await printPath();
  process.exit();
}

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.css'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => !/\.test\.tsx?$/.test(file));
const lines = files
  .map((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1)
  .sort((one, other) => one - other);
const share = (part: number) => lines[Math.ceil(lines.length * part) - 1];
const sources = files.filter((file) => !file.endsWith('.css'));
const folders = [...Map.groupBy(sources, dirname)].sort(([, some], [, others]) => others.length - some.length);

console.log(`${files.length} files; lines: median ${share(0.5)}, p95 ${share(0.95)}, most ${lines.at(-1)}`);
console.log('The fullest folders, by source files:');
for (const [folder, those] of folders.slice(0, 5)) console.log(`${String(those.length).padStart(4)}  ${folder}`);

const server = sources.filter((file) => file.startsWith('server/src/') && !file.includes('/testing/'));
const textOf = new Map(server.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
const linesOf = (file: string) => textOf.get(file)!.split('\n').length - 1;
const importers = new Map<string, Set<string>>(server.map((file) => [file, new Set()]));
for (const [file, text] of textOf)
  for (const [, imported] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g))
    importers.get(resolve('/', dirname(file), imported!).slice(1))?.add(file);
/** Each has one importer by design: the list of its kind. */
const MEMBERS = /\/(edge\/protocols|triggers\/types|edge\/channels|reports\/kinds)\//;
const single = server.filter((file) => importers.get(file)!.size === 1 && !MEMBERS.test(file));
const small = server.filter((file) => linesOf(file) <= 25);
const percent = (part: readonly string[]) => `${((100 * part.length) / server.length).toFixed(1)} %`;
const withoutProtocols = server.filter((file) => !file.includes('/edge/protocols/'));
console.log(
  [
    `Server: ${server.length} files`,
    `${withoutProtocols.reduce((sum, file) => sum + linesOf(file), 0)} lines without edge/protocols`,
    `${percent(single)} with a single importer, without members of lists`,
    `${percent(small)} with at most 25 lines`,
  ].join('; '),
);
