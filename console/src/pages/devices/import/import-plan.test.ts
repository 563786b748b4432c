import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCsv } from './csv.ts';
import { type Known, planImport } from './import-plan.ts';

const device = (id: number, more: Partial<Known>): Known => ({
  ...{ id, name: `Van ${id}`, type: null, imei: null, serial: null, iccid: null, tags: null, color: null },
  ...more,
});
const FLEET = [device(1, { imei: '111', tags: ['depot:north'] }), device(2, { serial: 'S2' })];
const plan = (text: string) => planImport(readCsv(text), FLEET);
const kinds = (text: string) => plan(text).rows.map((row) => (row.kind === 'wrong' ? row.problem : row.kind));

test('a row is about the device with its id, IMEI or serial number, else about a new one', () => {
  assert.deepEqual(kinds('id,imei,serial,name\n1,,,Van A\n,111,,Van A\n,,S2,Van 2\n,333,,New'), [
    'change',
    'twice',
    'same',
    'create',
  ]);
});

test('it says what was and what will be, and leaves what the table does not tell', () => {
  const [row] = plan('imei,name,tags,type\n111,Van 1,depot:south; cold,').rows;
  assert.ok(row?.kind === 'change');
  assert.deepEqual(row.changes, [{ field: 'tags', before: 'depot:north', after: 'depot:south; cold' }]);
  assert.deepEqual(row.values, { tags: ['depot:south', 'cold'] });
  assert.deepEqual(row.before, { tags: ['depot:north'] });
});

test('what cannot be meant is said, row by row', () => {
  assert.deepEqual(kinds('id,imei,serial,name\n9,,,A\n,111,S2,B\n,444,,\n,555,,C\n,555,,D'), [
    'unknownId',
    'twoDevices',
    'noName',
    'create',
    'twice',
  ]);
});

test('a table without a known column is no table of devices', () => {
  assert.deepEqual(plan('foo,bar\n1,2'), { rows: [], ignored: ['foo', 'bar'], isReadable: false });
  assert.deepEqual(plan('name,Colour of seats\nVan,red').ignored, ['colour of seats']);
});
