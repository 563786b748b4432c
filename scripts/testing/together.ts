import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a file does to the whole process that runs it. Others in the same process would notice. */
const ALONE = /^(before|beforeEach|afterEach)\(|\bmock\.|\bglobalThis\.|\bprocess\.(env\.\w+ =|chdir\(|on\()/m;
/** So many processes that they balance, and so few that loading the same sources costs little. */
const PROCESSES = 4;

/** Whether the tests of a file can share a process with others: it changes nothing that all of a process have in common. */
const isSociable = (file: string) => !ALONE.test(readFileSync(file, 'utf8'));

/**
 * Puts test files together, so that few processes run them: most of the time of a small file is that of loading the
 * sources and of making the database that tests copy. The files are removed when this process ends.
 *
 * @returns the files to run instead: some with many, then those that must be alone
 */
export function together(files: readonly string[]): string[] {
  const sociable = files.filter(isSociable);
  const alone = files.filter((file) => !sociable.includes(file));
  if (sociable.length <= PROCESSES) return [...files];
  const folder = mkdtempSync(join(tmpdir(), 'test-together-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const groups = Array.from({ length: PROCESSES }, (_, group) => {
    // Not neighbours, because neighbours take about as long.
    const members = sociable.filter((_, at) => at % PROCESSES === group);
    const file = join(folder, `${members.length}-files-${group + 1}.mjs`);
    writeFileSync(file, members.map((member) => `import '${pathToFileURL(member).href}';\n`).join(''));
    return file;
  });
  return [...groups, ...alone];
}
