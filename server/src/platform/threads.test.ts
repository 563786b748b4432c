import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const PATIENT_THREAD = `
  import('${new URL('./threads.ts', import.meta.url)}').then(({ giveWayToRequests }) => {
    giveWayToRequests();
    const stat = require('node:fs').readFileSync('/proc/thread-self/stat', 'utf8');
    require('node:worker_threads').parentPort.postMessage(stat);
  });`;

/** The `nice` value in what the kernel says of a thread. */
const nicenessIn = (stat: string) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);

test('a thread that gives way does so alone', { skip: process.platform !== 'linux' }, async () => {
  const before = nicenessIn(readFileSync('/proc/thread-self/stat', 'utf8'));
  const [stat] = (await once(new Worker(PATIENT_THREAD, { eval: true }), 'message')) as [string];
  assert.equal(nicenessIn(stat), Math.max(10, before));
  assert.equal(nicenessIn(readFileSync('/proc/thread-self/stat', 'utf8')), before);
});
