import type { DatabaseSync } from 'node:sqlite';
import { collectAll } from '../../memory/shrink-heap.ts';

/** Soon, but not once for each of several that read much in a row. */
const WAIT_MS = 1000;

/**
 * Gives back what reading very much took: the garbage of this thread, and the pages of the database that were mapped for
 * it. SQLite lets go of them only outside of a transaction.
 */
export function givingBack(connection: DatabaseSync): () => void {
  let isWaiting = false;
  function soon(): void {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(giveBack, WAIT_MS).unref();
  }
  function giveBack(): void {
    isWaiting = false;
    if (!connection.isOpen) return;
    if (connection.isTransaction) {
      soon();
      return;
    }
    const { mmap_size: bytes } = connection.prepare('PRAGMA mmap_size').get() as { mmap_size: number };
    connection.exec(`PRAGMA mmap_size = 0; PRAGMA mmap_size = ${bytes}`);
    collectAll();
  }
  return soon;
}
