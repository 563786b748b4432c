import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { heldReadWork } from '../../../testing/storage/held-read-work.ts';
import { openConnection } from '../sqlite/connection.ts';
import { SearchThread } from './thread.ts';

test('work that does not end because it gets no CPU time is not said to be too much', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'search-thread-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'trackway.db');
  openConnection(file).close();
  const started = Promise.withResolvers<void>();
  const task = { source: { storeKind: 'sqlite', file }, deadlineMs: 1000, isPatient: true } as const;
  const thread = new SearchThread(task, started.resolve);
  await started.promise;
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const { kind } = await thread.ask({ module: heldReadWork.module, input: { sql: 'SELECT 1', shared } });
  assert.equal(kind, 'slow');
});
