import { runRows, updateOf } from '../../platform/storage/bulk.ts';
import type { Store } from '../schema/tables.ts';

export interface LastUse {
  at: number;
  address: string;
}

/** The most tokens whose use is remembered between two writes. */
const MOST = 100_000;

const WRITE = updateOf('tokens', { lastUsed: 'time', lastAddress: 'text', id: 'integer' });

/**
 * When and from where each token was last used. Kept in memory and written now and then, all tokens in one statement:
 * a write per request would cost more than the request, and each commit empties the caches.
 */
export class LastUses {
  #uses = new Map<number, LastUse>();

  note(tokenId: number, at: number, address: string): void {
    const use = this.#uses.get(tokenId);
    if (use !== undefined) {
      use.at = at;
      use.address = address;
    } else if (this.#uses.size < MOST) this.#uses.set(tokenId, { at, address });
  }

  /** What is not written yet. */
  of(tokenId: number): LastUse | undefined {
    return this.#uses.get(tokenId);
  }

  async write(store: Store): Promise<void> {
    const uses = this.#uses;
    if (uses.size === 0) return;
    this.#uses = new Map();
    try {
      const rows = [...uses].map(([id, { at, address }]) => [at, address, id]);
      await store.transaction((tx) => runRows(tx, WRITE, rows));
    } catch (error) {
      for (const [id, use] of uses) if (!this.#uses.has(id)) this.#uses.set(id, use);
      throw error;
    }
  }
}
