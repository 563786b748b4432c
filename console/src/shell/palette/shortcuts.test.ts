import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortcutReader } from './shortcuts.ts';

const press = (key: string, more: object = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });

test('control or command and K opens the palette, in a field too', () => {
  const read = shortcutReader();
  assert.deepEqual(read(press('k', { ctrlKey: true }), true, 0), { kind: 'palette' });
  assert.deepEqual(read(press('K', { metaKey: true }), false, 0), { kind: 'palette' });
  assert.equal(read(press('k'), false, 0), undefined);
});

test('g and then a letter goes to a page, if the letter follows soon', () => {
  const read = shortcutReader();
  assert.equal(read(press('g'), false, 0), undefined);
  assert.deepEqual(read(press('d'), false, 1000), { kind: 'go', href: '/devices' });
  assert.equal(read(press('d'), false, 1100), undefined);
  read(press('g'), false, 2000);
  assert.equal(read(press('d'), false, 4000), undefined);
  read(press('g'), false, 5000);
  assert.equal(read(press('z'), false, 5100), undefined);
  assert.equal(read(press('d'), false, 5200), undefined);
});

test('what is typed into a field, or with another key held, is no shortcut', () => {
  const read = shortcutReader();
  assert.equal(read(press('?'), true, 0), undefined);
  assert.deepEqual(read(press('?'), false, 0), { kind: 'help' });
  read(press('g'), true, 1000);
  assert.equal(read(press('d'), false, 1100), undefined);
  assert.equal(read(press('g', { ctrlKey: true }), false, 2000), undefined);
  assert.equal(read(press('d'), false, 2100), undefined);
});
