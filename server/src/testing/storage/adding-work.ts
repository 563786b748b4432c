import { NotUnique } from '../../platform/storage/database.ts';
import { defineWork, type OpenWork } from '../../platform/storage/work.ts';

/** Work for tests of the store: inserts things by name, and counts the commits it has seen. */

interface Tables {
  things: { name: string; groupName: string | null; rank: number | null };
}

export interface Adding {
  readonly names: readonly string[];
  readonly fails?: boolean;
}

export interface Added {
  /** Rows that the work saw inside its transaction. */
  readonly rows: number;
  /** Number of commits so far. */
  readonly commits: number;
  readonly by: string;
}

const open: OpenWork<Tables, { readonly by: string }, Adding, number, Added> = (_workplace, { by }) => {
  let commits = 0;
  return {
    async run(tx, { names, fails }) {
      for (const name of names) {
        const add = tx.insertInto('things').values({ name, groupName: null, rank: null });
        await add.execute().catch((error) => {
          throw error instanceof NotUnique ? new Error(`${name} is there already`) : error;
        });
      }
      if (fails) throw new Error('on purpose');
      return (await tx.selectFrom('things').select('name').execute()).length;
    },
    committed: (rows) => ({ rows, commits: ++commits, by }),
  };
};

export const addThings = defineWork(import.meta.url, open);
