import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyOf, fitsTags, tagChoices } from './tag-filter.ts';

test('values of one name are alternatives, names must all fit', () => {
  const tags = ['depot:north', 'cold'];
  assert.ok(fitsTags(tags, []));
  assert.ok(fitsTags(tags, ['depot:north', 'depot:south']));
  assert.ok(fitsTags(tags, ['depot:*', 'cold']));
  assert.ok(!fitsTags(tags, ['depot:south']));
  assert.ok(!fitsTags(tags, ['depot:north', 'spare']));
  assert.ok(!fitsTags(tags, ['dep:*']));
});

test('each tag is offered, and any value of a name that has several', () => {
  const devices = [{ tags: ['depot:north', 'cold'] }, { tags: ['depot:south', 'cold', 'size:L'] }];
  assert.deepEqual(tagChoices(devices), ['cold', 'depot:*', 'depot:north', 'depot:south', 'size:L']);
  assert.deepEqual([anyOf('depot:*'), anyOf('depot:north')], ['depot', undefined]);
});
