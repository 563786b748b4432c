import {
  type savedViewOperations as contract,
  MOST_VIEWS,
  savedView,
} from '@trackway/contract/resources/fleet-tools/saved-view.ts';
import type { Handlers } from '../../calls.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import { children, familyOf, listOf, readOf, removeOf, rowOf } from '../family.ts';
import { countRows } from '../rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store } from '../schema/tables.ts';

const MOST_CHARACTERS = 4000;

/** How users like to look at pages, kept for all their browsers. */
export function savedViewOperations(store: Store): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'savedViews', savedView);
  const family = familyOf('savedView', rows, ({ userId }) => children('userId', userId));

  return {
    listSavedViews: (call) => listOf(family, call),

    async createSavedView({ userId, body, now }) {
      requireShort(body);
      return store.transaction(async (tx) => {
        const count = await countRows(tx.selectFrom('savedViews').where('userId', '=', userId));
        if (count >= MOST_VIEWS) {
          const message = `exceeds the limit of ${MOST_VIEWS} views: delete one first`;
          throw invalidField('savedView', 'name', 'tooMany', message);
        }
        return rows.present(await rows.insert({ ...body, created: now }, tx, { userId }));
      });
    },

    getSavedView: (call) => readOf(family, call),

    async updateSavedView(call) {
      requireShort(call.body);
      await rowOf(family, call);
      const row = await rows.update(call.key, call.body);
      if (row === undefined) throw childNotFound('savedView', call.key);
      return rows.present(row);
    },

    deleteSavedView: (call) => removeOf(family, call),
  };
}

function requireShort({ settings }: { readonly settings?: unknown }): void {
  if (settings !== undefined && JSON.stringify(settings).length > MOST_CHARACTERS)
    throw invalidField('savedView', 'settings', 'length', `must have at most ${MOST_CHARACTERS} characters as JSON`);
}
