import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { ERRORS } from '@trackway/contract/errors.ts';
import { OPERATIONS } from '@trackway/contract/operations.ts';
import { addresses, contentAt, layout, searchIndex } from '../reference.ts';
import { asksFirst } from './asks-first.ts';
import { guides } from './guides.ts';
import { chapters } from './model.ts';

const FILES = join(import.meta.dirname, '../pages/reference');
/** Of a page with all that it loads, packed. */
const MOST_BYTES = 100_000;

const REPORTS = [
  ...['report', 'reportByOsmand', 'reportByOverland', 'reportByOwntracks', 'reportStream'],
  ...['reportByTheThingsStack', 'reportByChirpStack', 'reportBySigfox', 'reportByFrame'],
];

const pages = new Map(
  addresses().map((at) => [at, layout({ ...contentAt(at)!, at, files: '/docs/files/x' })] as const),
);
const idsIn = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);

test('each operation stands in one place, with the streams and what devices send', () => {
  const reported = chapters().flatMap(({ operations }) => operations.map(({ name }) => name));
  assert.deepEqual(reported.sort(), [...Object.keys(OPERATIONS), 'live', 'socket', 'deviceSocket', ...REPORTS].sort());
  for (const { slug, operations } of chapters())
    for (const { name } of operations) assert.ok(idsIn(pages.get(`/docs/api/${slug}`)!).includes(name), name);
});

test('each operation says who may call it, and has a request with every value it needs', () => {
  for (const { name, access, parameters, filled } of chapters().flatMap(({ operations }) => operations)) {
    assert.match(access, /\w/, name);
    for (const parameter of parameters.filter(({ isRequired }) => isRequired))
      assert.notEqual(filled.values[parameter.name], undefined, `${name}: ${parameter.name}`);
  }
});

test('links and results of the search lead to a part of a page', () => {
  const wrong: string[] = [];
  const check = (from: string, target: string) => {
    const [path = '', part] = target.split('#');
    const at = path === '' ? from : path;
    if (!at.startsWith('/docs') || at.startsWith('/docs/files/')) return;
    const html = pages.get(at);
    if (html === undefined || (part !== undefined && !idsIn(html).includes(part))) wrong.push(`${from}: ${target}`);
  };
  for (const [at, html] of pages) for (const [, target] of html.matchAll(/ href="([^"]+)"/g)) check(at, target!);
  for (const { u } of searchIndex()) check('the search', u);
  assert.deepEqual(wrong, []);
});

test('a page has no inline script or style, loads nothing from elsewhere, and no id twice', () => {
  for (const [at, html] of pages) {
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<style| style="| on\w+="/, at);
    for (const [, from] of html.matchAll(/<(?:script|img|link)[^>]* (?:src|href)="([^"]+)"/g))
      assert.match(from!, /^\/(docs|pages)\//, at);
    const ids = idsIn(html);
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
      at,
    );
  }
});

test('a page with all that it loads is small', () => {
  const packed = (text: string) => gzipSync(text).length;
  const files = globSync('*.{js,css}', { cwd: FILES }).map((name) => packed(readFileSync(join(FILES, name), 'utf8')));
  const shared = files.reduce((sum, bytes) => sum + bytes, packed(JSON.stringify(searchIndex())));
  for (const [at, html] of pages)
    assert.ok(packed(html) + shared < MOST_BYTES, `${at}: ${packed(html) + shared} bytes`);
});

test('the page asks before it deletes, ends or replaces something, and before a GET that changes data', () => {
  for (const name of ['deleteDevice', 'endSessions', 'rotateDeviceKey', 'logout', 'flightMode', 'discardQuarantine'])
    assert.equal(asksFirst(name), true, name);
  for (const name of ['listDevices', 'createDevice', 'live', 'vehicleSummary', 'toString'])
    assert.equal(asksFirst(name), false, name);
});

test('the guide about errors names every code of the contract', () => {
  const { text } = guides().find(({ slug }) => slug === 'errors')!;
  const missing = Object.values(ERRORS).filter(({ code, status }) => !text.includes(`| \`${code}\` | ${status} |`));
  assert.deepEqual(missing, []);
});
