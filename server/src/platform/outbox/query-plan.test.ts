import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendGuard } from '../../domain/delivery/send-guard.ts';
import { MIGRATIONS } from '../../domain/schema/migrations.ts';
import type { Tables } from '../../domain/schema/tables.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { citusUrl } from '../../testing/storage/citus-places.ts';
import { planOf, statementText } from '../../testing/storage/query-plan.ts';
import type { StoreKind } from '../storage/dialect.ts';
import * as statements from './statements.ts';

const { PAGE: _, DESTINATION_LEASE: __, HEALTH: ___, askingIn, barredIn, RETURN, SETTLE, ...plain } = statements;

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

  // A setting of a transaction does not hold where Citus does its tasks.
  const skip = citusUrl() !== undefined;
  test('none of them reads the whole table', { skip }, async () => {
    const store = await open();
    for (const [name, sql] of Object.entries(all(store.dialect.name))) {
      const plan = await planOf(store, { sql: sql.replaceAll('?', "'1'") });
      const whole =
        store.dialect.name === 'sqlite'
          ? /^SCAN (outbox|destinations|o|q|d|part|ofDevice|ofShare|ofUser)\b(?!.*USING (COVERING )?INDEX outbox_sending)/m
          : /Seq Scan on (outbox|destinations|devices|shares|users)/;
      assert.doesNotMatch(plan, whole, `${name}:\n${plan}`);
    }
  });

  test('claiming takes the oldest from the index in their order, without sorting', async () => {
    const store = await open();
    for (const name of ['CLAIM', 'CLAIM_IN_ORDER', 'EXPIRE'] as const) {
      const plan = await planOf(store, { sql: plain[name].replaceAll('?', "'1'") });
      assert.match(plan, /outbox_queued/, `${name}:\n${plan}`);
      if (store.dialect.name === 'sqlite') assert.doesNotMatch(plan, /TEMP B-TREE FOR ORDER BY/, `${name}:\n${plan}`);
    }
  });
});
