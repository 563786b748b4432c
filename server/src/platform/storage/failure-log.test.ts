import assert from 'node:assert/strict';
import test from 'node:test';
import { failureLog, StoreTrouble, WritesRefused } from './trouble.ts';

const gone = () => new StoreTrouble('unavailable', new Error('gone'));

test('trouble of the store is said once, every other failure each time', () => {
  const said: string[] = [];
  const failed = failureLog({ error: (_: unknown, sentence: string) => void said.push(sentence) } as never);
  for (let turn = 0; turn < 5; turn++) failed(gone(), 'trouble');
  failed(new WritesRefused('gone', 'refused'), 'refused');
  failed(new Error('ours'), 'ours');
  failed(new Error('ours'), 'ours');
  assert.deepEqual(said, ['trouble', 'ours', 'ours']);
});
