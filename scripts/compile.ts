import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { writeFiles } from './release/files.ts';
import { main, ROOT } from './step.ts';

/** `compile.ts FOLDER` writes the server as a release has it, to start in little time; packages are those of this checkout. */
await main(async () => {
  const [given] = process.argv.slice(2);
  if (given === undefined) throw new Error('Name the folder to write to');
  const folder = resolve(given);
  rmSync(folder, { recursive: true, force: true });
  await writeFiles(ROOT, folder);
});
