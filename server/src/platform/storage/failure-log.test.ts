import assert from 'node:assert/strict';
import test from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { repeat } from '../repeat.ts';
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

test('work that is repeated while the store is gone does not fill the log, and goes on', async () => {
  const said: string[] = [];
  let turns = 0;
  const log = { error: (_: unknown, sentence: string) => void said.push(sentence) } as never;
  const work = repeat(1, log, 'work', async () => {
    turns++;
    throw gone();
  });
  await eventually('many turns', () => turns > 20);
  await work.stop();
  assert.deepEqual(said, ['work failed']);
});
