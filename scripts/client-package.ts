import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writePackage } from './client-package/write-package.ts';
import { main, ROOT } from './step.ts';

/** Makes the package of the client, ready for `npm publish`. */
await main(async () => {
  const { values } = parseArgs({ options: { out: { type: 'string', default: join(ROOT, 'release') } } });
  const out = resolve(values.out);
  const folder = join(out, 'client');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writePackage(ROOT, folder);
  const archive = execFileSync('npm', ['pack', folder, '--pack-destination', out, '--loglevel', 'error'], {
    cwd: out,
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  console.log(join(out, archive.trim()));
});
