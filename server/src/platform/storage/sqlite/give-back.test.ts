import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { givingBack, openConnection } from './connection.ts';

/** Megabytes of a file that are mapped and in memory. */
function mappedMb(file: string): number {
  let kilobytes = 0;
  for (const part of readFileSync('/proc/self/smaps', 'utf8').split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/))
    if (part.split('\n', 1)[0]!.endsWith(file)) kilobytes += Number(/^Rss:\s+(\d+)/m.exec(part)![1]);
  return kilobytes / 1024;
}

test('pages that were read are given back, once no transaction is open', {
  skip: process.platform !== 'linux' && 'only Linux reports what is mapped',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'give-back-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'a.db');
  const connection = openConnection(file);
  t.after(() => connection.close());
  connection.exec('CREATE TABLE "a" ("text" TEXT)');
  connection.exec(
    `INSERT INTO "a" SELECT hex(zeroblob(5000)) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 2000) SELECT x FROM c)`,
  );
  connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const sum = () => connection.prepare('SELECT sum(length("text")) AS "sum" FROM "a"').get()!.sum;
  const giveBack = givingBack(connection);
  connection.exec('BEGIN');
  assert.equal(sum(), 20_000_000);
  assert.ok(mappedMb(file) > 15);
  giveBack();
  await pause(1500);
  assert.ok(mappedMb(file) > 15);
  connection.exec('COMMIT');
  while (mappedMb(file) > 1) await pause(50);
  assert.equal(sum(), 20_000_000);
  assert.ok(mappedMb(file) > 15, 'it is mapped again');
});
