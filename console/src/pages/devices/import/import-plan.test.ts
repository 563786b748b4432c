import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessColumns, tableOf } from './columns.ts';
import { readCsv } from './csv.ts';
import { type Known, planImport } from './import-plan.ts';

const device = (id: number, more: Partial<Known>): Known => ({
  ...{ id, name: `Van ${id}`, type: null, imei: null, serial: null, iccid: null, tags: null, color: null },
  allowKeyless: false,
  meta: null,
  plate: null,
  groups: [],
  ...more,
});
const FLEET = [device(1, { imei: '111', tags: ['depot:north'] }), device(2, { serial: 'S2' })];
const plan = (text: string, fleet = FLEET, options = {}) => {
  const { headings, rows } = tableOf(readCsv(text));
  return planImport(rows, guessColumns(headings), fleet, options);
};
const kinds = (text: string) => plan(text).map((row) => (row.kind === 'wrong' ? row.problem : row.kind));

test('a row is about the device with its id, IMEI or serial number, else about a new one', () => {
  assert.deepEqual(kinds('id,imei,serial,name\n1,,,Van A\n,111,,Van A\n,,S2,Van 2\n,333,,New'), [
    'change',
    'twice',
    'same',
    'create',
  ]);
});

test('it shows old and new values, and leaves fields that the table does not contain', () => {
  const [row] = plan('imei,name,tags,type\n111,Van 1,depot:south; cold,');
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

test('a long number that the spreadsheet has rounded is no IMEI', () => {
  assert.deepEqual(kinds('imei,name\n3.57369E+14,A\n"3,57369E+14",B'), ['rounded', 'rounded']);
});

test('custom data stays beside an icon; a plate is a name where there is no other', () => {
  const fleet = [device(1, { imei: '111', meta: { timeZone: 'Asia/Shanghai' }, groups: ['North'] })];
  const [known, made] = plan('imei,plate,icon,group,driver\n111,B-XY 1,LKW,north,\n222,B-XY 2,,South,Anna', fleet);
  assert.ok(known?.kind === 'change' && made?.kind === 'create');
  assert.deepEqual(known.values, { meta: { timeZone: 'Asia/Shanghai', icon: 'truck' } });
  assert.deepEqual([known.plate, known.plateBefore, made.plate], ['B-XY 1', null, 'B-XY 2']);
  assert.equal(known.group, undefined, 'it is in that group');
  assert.deepEqual([made.name, made.group, made.driver], ['B-XY 2', 'South', 'Anna']);
});

test('devices with an IMEI or a serial number may report by it, where that is wished', () => {
  const fleet = [device(1, { imei: '111' }), device(2, { serial: 'S2', allowKeyless: true })];
  const rows = (allowsKeyless: boolean) =>
    plan('imei,serial,name\n111,,Van 1\n,S2,Van 2\n333,,New\n,,Plain', fleet, { allowsKeyless });
  const [known, open, made, plain] = rows(true);
  assert.ok(known?.kind === 'change' && made?.kind === 'create' && plain?.kind === 'create');
  assert.deepEqual([known.values, known.before], [{ allowKeyless: true }, { allowKeyless: false }]);
  assert.equal(open?.kind, 'same');
  assert.deepEqual([made.values.allowKeyless, plain.values.allowKeyless], [true, undefined]);
  assert.deepEqual(
    rows(false).map(({ kind }) => kind),
    ['same', 'same', 'create', 'create'],
  );
});
