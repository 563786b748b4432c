import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN, startServer } from '../../e2e/src/harness/server-process.ts';
import { GENERATORS, type Generator, ROOT, WORK } from './generators.ts';
import { run } from './run.ts';
import { makeWorld } from './world.ts';

/**
 * Generates clients from the document that a real server serves, and calls the nine operations of the published API with
 * each. What is missing on this machine is skipped, and said.
 */

const OPERATIONS = 9;

async function outcomeOf(generator: Generator, document: string, address: string): Promise<string> {
  const missing = await generator.missing();
  if (missing !== undefined) return `SKIPPED: ${missing}`;
  const world = await makeWorld(address, ADMIN);
  await generator.generate(document, world.base);
  const said = await generator.call({ WORLD: JSON.stringify(world) });
  const done = said.split('\n').filter((line) => /^\d \w+/.test(line));
  if (done.length !== OPERATIONS) throw new Error(`${done.length} of ${OPERATIONS} operations were called:\n${said}`);
  return `ok: ${done.join(', ')}`;
}

await mkdir(WORK, { recursive: true });
if (!existsSync(join(ROOT, 'node_modules/openapi-typescript'))) await run('npm', ['ci', '--prefix', ROOT], ROOT);
const data = await mkdtemp(join(tmpdir(), 'trackway-generators-'));
const server = await startServer('sqlite', data);
let failed = 0;
let skipped = 0;
try {
  const document = join(WORK, 'openapi.json');
  await writeFile(document, await (await fetch(`${server.address}/api/openapi.json`)).text());
  // `npm run test:generators -- orval` runs only the named one.
  const wanted = process.argv.slice(2);
  for (const generator of GENERATORS) {
    if (wanted.length > 0 && !wanted.some((word) => generator.name.includes(word))) continue;
    try {
      const outcome = await outcomeOf(generator, document, server.address);
      if (outcome.startsWith('SKIPPED')) skipped++;
      console.log(`${generator.name}: ${outcome}`);
    } catch (error) {
      failed++;
      console.error(`${generator.name}: FAILED\n${(error as Error).message}`);
    }
  }
} finally {
  await server.stop();
  await rm(data, { recursive: true, force: true });
}
console.log(`${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
