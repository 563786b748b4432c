import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';

/**
 * A consistent copy of the database while others write. It is made under another name and moved into place once it is
 * whole and on the disk: a file that has the name asked for and is not empty is a complete backup.
 */
export async function backupSqlite(source: string, file: string): Promise<void> {
  await reserve(file);
  const partial = `${file}.${randomBytes(4).toString('hex')}.partial`;
  try {
    await copyInWorker(source, partial);
    await flush(partial);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    await rm(file, { force: true });
    throw error;
  }
  // Windows can't flush a folder, and needs not.
  if (process.platform !== 'win32') await flush(dirname(file));
}

/** Takes the name, so that of two backups to it only one goes on. */
async function reserve(file: string): Promise<void> {
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`The file ${file} already exists. A backup never overwrites a file.`, { cause: error });
  }
}

function copyInWorker(source: string, partial: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./backup-worker.ts', import.meta.url), {
      workerData: { source, partial },
    });
    worker.once('error', reject);
    worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error('The backup was interrupted.'))));
  });
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
