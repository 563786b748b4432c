import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { MIGRATIONS } from '../../domain/schema/migrations.ts';
import type { Store, Tables } from '../../domain/schema/tables.ts';
import { sendGuard } from '../../domain/sending/send-guard.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { citusUrl } from '../../testing/storage/citus-places.ts';
import type { RowsStatement } from '../storage/bulk.ts';
import type { StoreKind } from '../storage/store-kind.ts';
import * as statements from './statements.ts';

const { PAGE: _, DESTINATION_LEASE: __, HEALTH: ___, askingIn, barredIn, RETURN, SETTLE, ...plain } = statements;

const EMPTY = { integer: 'BIGINT', text: 'TEXT', time: 'BIGINT', json: 'JSONB' } as Record<string, string>;

/** A statement for many rows as each engine runs it, for one row. */
function statementText(storeKind: StoreKind, { columns, sqlite, postgres }: RowsStatement): string {
  const [names, kinds] = [Object.keys(columns), Object.values(columns)];
  const cells = kinds.map((kind) => `NULL::${EMPTY[kind]}`);
  return storeKind === 'sqlite' ? sqlite : `WITH given ("${names.join('", "')}") AS (VALUES (${cells})) ${postgres}`;
}

/** An outbox may hold millions: whatever runs often finds its rows by an index. */
onBothEngines<Tables>('the hot statements of the outbox', { migrations: MIGRATIONS }, (open) => {
  const all = (storeKind: StoreKind): Record<string, string> => ({
    ...plain,
    'CLAIM with its guard': askingIn(plain.CLAIM, sendGuard.mayGo),
    'CLAIM_IN_ORDER with its guard': askingIn(plain.CLAIM_IN_ORDER, sendGuard.mayGo),
    BARRED: barredIn(3, sendGuard.mayGo),
    RETURN: statementText(storeKind, RETURN),
    SETTLE: statementText(storeKind, SETTLE),
  });

  async function planOf(store: Store, sql: string): Promise<string> {
    const text = sql.replaceAll('?', "'1'");
    const explain = store.storeKind === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    return store.transaction(async (tx) => {
      // An empty table is read whole whatever indexes it has, unless that is forbidden.
      if (store.storeKind === 'postgres') await tx.executeQuery(CompiledQuery.raw('SET LOCAL enable_seqscan = off'));
      const { rows } = await tx.executeQuery<Record<string, string>>(CompiledQuery.raw(`${explain} ${text}`));
      return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
    });
  }

  // A setting of a transaction does not hold where Citus does its tasks.
  const skip = citusUrl() !== undefined;
  test('none of them reads the whole table', { skip }, async () => {
    const store = await open();
    for (const [name, sql] of Object.entries(all(store.storeKind))) {
      const plan = await planOf(store, sql);
      const whole =
        store.storeKind === 'sqlite'
          ? /^SCAN (outbox|destinations|o|q|d|part|ofDevice|ofShare|ofUser)\b(?!.*USING (COVERING )?INDEX outbox_sending)/m
          : /Seq Scan on (outbox|destinations|devices|shares|users)/;
      assert.doesNotMatch(plan, whole, `${name}:\n${plan}`);
    }
  });

  test('claiming takes the oldest from the index in their order, without sorting', async () => {
    const store = await open();
    for (const name of ['CLAIM', 'CLAIM_IN_ORDER', 'EXPIRE'] as const) {
      const plan = await planOf(store, plain[name]);
      assert.match(plan, /outbox_queued/, `${name}:\n${plan}`);
      if (store.storeKind === 'sqlite') assert.doesNotMatch(plan, /TEMP B-TREE FOR ORDER BY/, `${name}:\n${plan}`);
    }
  });
});
