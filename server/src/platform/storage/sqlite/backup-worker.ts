import { closeSync, openSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { openConnection } from './connection.ts';

const { source, partial } = workerData as { source: string; partial: string };

// SQLite fills an existing empty file and leaves its mode unchanged, so the backup is readable by its owner only.
closeSync(openSync(partial, 'wx', 0o600));
const connection = openConnection(source, { readOnly: true });
try {
  connection.prepare('VACUUM INTO ?').run(partial);
} finally {
  connection.close();
}
