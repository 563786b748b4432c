import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { infoOperations } from './info.ts';

const reported = {
  publicUrl: '',
  map: async () => ({ mapStyle: '', mapFile: null }),
  mapOverlay: '',
  findsAddresses: false,
  openidButton: '',
  planPurchase: false,
  pushKey: '',
  channels: () => ({}),
  trackersPort: () => 5010,
};
const nobody = { userId: 0, admin: false, tokenId: 0 };

onEitherEngine<Tables>('server information', { migrations: MIGRATIONS }, (open) => {
  test('a server without an account says that it must be set up, and no longer once there is one', async () => {
    const store: Store = await open();
    const { getServerInfo } = infoOperations(store, reported);
    const needsSetup = async () =>
      ((await getServerInfo(callOf(nobody, {}))) as unknown as { needsSetup: boolean }).needsSetup;
    assert.equal(await needsSetup(), true);
    await makeUser(store, 'first@example.com');
    assert.equal(await needsSetup(), false);
  });
});
