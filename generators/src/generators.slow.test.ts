import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ADMIN, startServer } from '../../e2e/src/harness/server-process.ts';
import { GENERATORS, ROOT, WORK } from './generators.ts';
import { run } from './run.ts';
import { makeWorld } from './world.ts';

const OPERATIONS = 9;

describe('A client generated from the OpenAPI document of a real server calls the nine operations', () => {
  const document = join(WORK, 'openapi.json');
  let data: string;
  let server: Awaited<ReturnType<typeof startServer>>;

  before(async () => {
    await mkdir(WORK, { recursive: true });
    if (!existsSync(join(ROOT, 'node_modules/openapi-typescript'))) await run('npm', ['ci', '--prefix', ROOT], ROOT);
    data = await mkdtemp(join(tmpdir(), 'trackway-generators-'));
    server = await startServer('sqlite', data);
    await writeFile(document, await (await fetch(`${server.address}/api/openapi.json`)).text());
  });
  after(async () => {
    await server?.stop();
    await rm(data, { recursive: true, force: true });
  });

  for (const generator of GENERATORS)
    test(generator.name, async (t) => {
      const missing = await generator.missing();
      if (missing !== undefined) {
        t.skip(missing);
        return;
      }
      const world = await makeWorld(server.address, ADMIN);
      await generator.generate(document, world.base);
      const output = await generator.call({ WORLD: JSON.stringify(world) });
      assert.equal(output.match(/^\d \w+/gm)?.length, OPERATIONS, output);
    });
});
