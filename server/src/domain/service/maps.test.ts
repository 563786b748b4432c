import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PUBLIC_MAP } from '@trackway/contract/resources/service/maps.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { mapOperations, serverMaps } from './maps.ts';

/** The beginning of a PMTiles file with vector tiles of Berlin. */
function header(change: (bytes: Buffer) => void = () => undefined): Buffer {
  const bytes = Buffer.alloc(127);
  bytes.write('PMTiles', 'latin1');
  bytes.writeUInt8(3, 7);
  bytes.writeUInt8(1, 99);
  bytes.writeUInt8(15, 101);
  for (const [index, degrees] of [13, 52.3, 13.8, 52.7].entries())
    bytes.writeInt32LE(Math.round(degrees * 1e7), 102 + index * 4);
  change(bytes);
  return bytes;
}

let data: string;
before(async () => {
  data = await mkdtemp(join(tmpdir(), 'trackway-maps-'));
  await writeFile(join(data, 'berlin.pmtiles'), header());
  await writeFile(
    join(data, 'air.pmtiles'),
    header((bytes) => bytes.writeUInt8(4, 99)),
  );
  await writeFile(
    join(data, 'old.pmtiles'),
    header((bytes) => bytes.writeUInt8(2, 7)),
  );
  await writeFile(join(data, 'short.pmtiles'), header().subarray(0, 100));
  await writeFile(join(data, 'text.pmtiles'), 'no map');
  await writeFile(join(data, 'trackway.db'), header());
});
after(() => rm(data, { recursive: true, force: true }));

onEitherEngine<Tables>('maps of the server', { migrations: MIGRATIONS }, (open) => {
  async function mailer(settings: { mapStyle?: string; mapHosts?: string } = {}) {
    const store: Store = await open();
    const admin = await makeUser(store, 'admin@example.com');
    const maps = serverMaps(store, { mapStyle: '', mapHosts: '', data, ...settings });
    const operations = mapOperations(store, maps);
    const choose = (body: object) => operations.chooseMap(callOf(admin, { body }) as never);
    return { store, maps, choose };
  }

  test('lists the map files of the data folder, and nothing else', async () => {
    const { maps } = await mailer();
    const { choice, files } = await maps.current();
    assert.equal(choice, 'unset');
    assert.deepEqual(
      files.map(({ name, kind, maxZoom }) => [name, kind, maxZoom]),
      [
        ['air.pmtiles', 'raster', 15],
        ['berlin.pmtiles', 'vector', 15],
      ],
    );
    assert.deepEqual(files[1]!.bounds, [13, 52.3, 13.8, 52.7]);
    assert.match(files[1]!.path, /^\/map-files\/berlin\.pmtiles\?v=[\w-]+$/);
    const nowhere = serverMaps((await mailer()).store, { mapStyle: '', mapHosts: '', data: join(data, 'gone') });
    assert.deepEqual((await nowhere.current()).files, []);
  });

  test('browsers may ask exactly the servers of the choice', async () => {
    const { store, maps, choose } = await mailer();
    const reported = async () => (await maps.addresses()).filter(Boolean);
    assert.deepEqual(await reported(), []);
    await choose({ choice: 'public', style: 'https://evil.example.com', hosts: ['https://evil.example.com'] });
    assert.deepEqual(await reported(), [PUBLIC_MAP.light]);
    await choose({
      choice: 'style',
      style: 'https://maps.example.com/style.json?key=sesame',
      hosts: ['https://tiles.example.com/a/b', 'https://maps.example.com'],
    });
    assert.deepEqual(await reported(), ['https://maps.example.com/style.json?key=sesame', 'https://tiles.example.com']);
    const openTo = async () => [(await maps.shown()).mapFile?.name, await maps.openFile()];
    assert.deepEqual(await openTo(), [undefined, undefined], 'a file that is not chosen is for users only');
    await choose({ choice: 'region', region: 'berlin.pmtiles' });
    assert.deepEqual(await openTo(), ['berlin.pmtiles', 'berlin.pmtiles']);
    assert.deepEqual(await reported(), []);
    assert.equal((await maps.current()).region, 'berlin.pmtiles');
    await choose({ choice: 'world' });
    assert.deepEqual(await openTo(), [undefined, undefined]);
    assert.deepEqual(await reported(), []);
    const entries = await store.query.selectFrom('auditEntries').select(['action', 'detail']).execute();
    assert.deepEqual([...new Set(entries.map(({ action }) => action))], ['map.chosen']);
    assert.doesNotMatch(JSON.stringify(entries), /sesame/, 'keys of styles are in no audit trail');
  });

  test('refuses what is no style, no server and no map file', async () => {
    const { maps, choose } = await mailer();
    for (const wrong of [
      { choice: 'style' },
      { choice: 'style', style: 'javascript:alert(1)' },
      { choice: 'style', style: 'https://me:secret@example.com/style.json' },
      {
        choice: 'style',
        style: 'https://example.com/style.json',
        hosts: ["https://a.example.com; script-src 'none'", '*'],
      },
      { choice: 'region', region: 'gone.pmtiles' },
      { choice: 'region', region: '../trackway.db' },
      { choice: 'region' },
    ])
      await assert.rejects(choose(wrong), { statusCode: 422 }, JSON.stringify(wrong));
    assert.equal((await maps.current()).choice, 'unset');
  });

  test('a style of the settings comes first', async () => {
    const { maps, choose } = await mailer({
      mapStyle: 'https://set.example.com/s.json',
      mapHosts: 'https://t.example.com',
    });
    await choose({ choice: 'public' });
    const { isFixed, choice, style } = await maps.current();
    assert.deepEqual([isFixed, choice, style], [true, 'style', 'https://set.example.com/s.json']);
    assert.ok((await maps.addresses()).includes('https://t.example.com'));
  });
});
