import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileAnswer, FileStream } from '../../../calls.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { pdfPages } from '../../../testing/drives/pdf-pages.ts';
import { unzipTexts } from '../../../testing/drives/unzip.ts';
import { callOf, makeDevice, makeUser } from '../../../testing/people.ts';
import { deviceAccess } from '../../devices/access.ts';
import { geofenceOperations } from '../../geofences/operations.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { fleetReportOperations } from '../operations.ts';

const START = Date.parse('2026-06-01T00:00:00Z');
const MINUTE = 60_000;
const RANGE = { from: '2026-06-01', to: '2026-06-08' };
/** So many that a file is written in several chunks. */
const MANY = 1500;
/** At most so many values fit into one statement. */
const AT_ONCE = 500;

onEitherEngine<Tables>('files of reports', { migrations: MIGRATIONS }, (open) => {
  async function setting(trips: number, mostRows?: { csv: number; xlsx: number; pdf: number }) {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const devices: number[] = [];
    for (const name of ['Van', 'Car', 'Bus']) {
      const deviceId = await makeDevice(store, owner.userId, { name });
      devices.push(deviceId);
      const rows = Array.from({ length: trips }, (_, index) => ({
        ...{ deviceId, start: START + index * 5 * MINUTE, end: START + (index * 5 + 3) * MINUTE, distance: index },
        ...{ duration: 180, idle: 0, maxSpeed: 50, averageSpeed: 40, startPointId: 1, endPointId: 2, decidedAt: START },
        ...{ startLocationLat: 50, startLocationLng: 8, endLocationLat: 51, endLocationLng: 9 },
      }));
      for (let first = 0; first < rows.length; first += AT_ONCE)
        await store.query
          .insertInto('trips')
          .values(rows.slice(first, first + AT_ONCE))
          .execute();
    }
    const operations = fleetReportOperations(store, mostRows as never);
    const file = (body: object) =>
      operations.fleetReportFile(callOf(owner, { body: { kind: 'trips', ...RANGE, ...body } as never }));
    const csv = async (body: object = {}) => ((await file(body)) as FileStream).chunks as AsyncIterableIterator<string>;
    const draw = (body: object) =>
      geofenceOperations(store, deviceAccess(store)).createGeofence(callOf(owner, { body } as never));
    return { store, devices, file, csv, draw };
  }

  async function linesOf(chunks: AsyncIterable<string>): Promise<{ lines: string[]; chunks: number }> {
    const texts: string[] = [];
    for await (const text of chunks) texts.push(text);
    return { lines: texts.join('').trimEnd().split('\r\n'), chunks: texts.length };
  }

  test('a place has its name in addition to its coordinates', async () => {
    const { csv, draw } = await setting(1);
    await draw({ name: 'Yard', center: { lat: 50, lng: 8 }, radius: 100 });
    const { lines } = await linesOf(await csv({ columns: ['startLocation', 'endLocation'] }));
    assert.equal(lines[0], '\u{feff}From,From lat,From lng,To,To lat,To lng');
    assert.equal(lines[1], 'Yard,50,8,,51,9');
  });

  test('CSV is written in chunks, and has every row once', async () => {
    const { csv } = await setting(MANY);
    const { lines, chunks } = await linesOf(await csv({ columns: ['name', 'distance'] }));
    assert.ok(chunks > 1, `${chunks} chunks`);
    const expected = ['Van', 'Car', 'Bus'].flatMap((name) =>
      Array.from({ length: MANY }, (_, index) => `${name},${index}`),
    );
    assert.deepEqual(lines, ['\u{feff}Device,Distance (m)', ...expected]);
  });

  test('a right that ends while the file is written ends its rows', async () => {
    const { store, devices, csv } = await setting(MANY);
    const chunks = await csv({ columns: ['name'] });
    const first = await chunks.next();
    const other = await makeUser(store, 'other@example.com');
    await store.query.updateTable('devices').set({ ownerId: other.userId }).where('id', '=', devices[2]!).execute();
    const { lines } = await linesOf(chunks);
    assert.match(first.value, /Van/);
    assert.ok(!lines.includes('Bus'), 'nothing of what is no longer seen');
  });

  test('a file that was cut says so in its last line, and a sheet in a header', async () => {
    const { file, csv } = await setting(3, { csv: 5, xlsx: 5, pdf: 5 });
    const cut = (await linesOf(await csv({ columns: ['name'] }))).lines;
    assert.deepEqual(cut.slice(1), [
      ...['Van', 'Van', 'Van', 'Car', 'Car'],
      'Rows are missing: the file contains only the first 5 rows.',
    ]);
    const german = (await linesOf(await csv({ columns: ['name'], language: 'de' }))).lines;
    assert.equal(german.at(-1), 'Es fehlen Zeilen: Die Datei enthält nur die ersten 5 Zeilen.');
    const sheet = (await file({ format: 'xlsx' })) as FileAnswer;
    assert.deepEqual(sheet.headers, { 'X-Report-Complete': 'false' });
    assert.match([...unzipTexts(Buffer.from(sheet.bytes)).values()].join(), /only the first 5 rows/);
  });

  test('a file that has all rows says nothing of it', async () => {
    const { file, csv } = await setting(3, { csv: 9, xlsx: 9, pdf: 9 });
    const { lines } = await linesOf(await csv({ columns: ['name'] }));
    assert.deepEqual([lines.length, lines.at(-1)], [10, 'Bus']);
    const sheet = (await file({ format: 'xlsx' })) as FileAnswer;
    assert.deepEqual(sheet.headers, { 'X-Report-Complete': 'true' });
    assert.doesNotMatch([...unzipTexts(Buffer.from(sheet.bytes)).values()].join(), /contains only the first/);
  });

  test('a PDF has title, period, zone and units, and on each page headings and its number', async () => {
    const { store, devices, file, draw } = await setting(40);
    await draw({ name: 'Yard', center: { lat: 50, lng: 8 }, radius: 100 });
    const name = 'Größe “€” çñàœ Łódź 車';
    await store.query.updateTable('devices').set({ name }).where('id', '=', devices[0]!).execute();
    const body = { format: 'pdf', language: 'de', tz: 'Europe/Berlin' };
    const columns = ['name', 'start', 'distance', 'startLocation', 'endLocation'];
    const answer = (await file({ ...body, columns })) as FileAnswer;
    assert.deepEqual([answer.contentType, answer.fileName], ['application/pdf', 'trips-2026-06-01-to-2026-06-08.pdf']);
    const pages = pdfPages(answer.bytes);
    assert.deepEqual(pages[0]!.slice(0, 2), [
      'Fahrten',
      '01.–08.06.2026 · Zeitzone Europe/Berlin · Einheiten: km, h, km/h',
    ]);
    for (const [index, texts] of pages.entries()) {
      assert.ok(texts.includes('Strecke (km)'), `page ${index} has headings`);
      assert.equal(texts.at(-1), `Seite ${index + 1} von ${pages.length}`);
    }
    const all = pages.flat().join(' ');
    assert.match(all, /Größe “€” çñàœ/);
    assert.match(all, /\?ódz \?/, 'other characters are replaced');
    assert.match(all, /01\.06\.26, 02:00 0 Yard 51\.00000, 9\.00000/);
    assert.equal(all.match(/51\.00000/g)!.length, 120, 'every row');
  });

  test('a PDF that was cut says so', async () => {
    const { file } = await setting(3, { csv: 5, xlsx: 5, pdf: 5 });
    const { bytes, headers } = (await file({ format: 'pdf' })) as FileAnswer;
    assert.deepEqual(headers, { 'X-Report-Complete': 'false' });
    assert.match(pdfPages(bytes).flat().join(' '), /Rows are missing: the file contains only the first 5 rows\./);
  });

  test('what cannot be made is refused before anything is sent', async () => {
    const { csv } = await setting(0);
    await assert.rejects(csv({ deviceIds: [9999] }), { statusCode: 422 });
    await assert.rejects(csv({ kind: 'visits', fenceIds: [9999] }), { statusCode: 422 });
    assert.equal((await linesOf(await csv())).lines.length, 1, 'the head alone');
  });
});
