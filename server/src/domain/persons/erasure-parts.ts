import type { Vault } from '../../platform/vault.ts';
import { setDeleted } from '../devices/set-deleted.ts';
import type { Store } from '../schema/tables.ts';
import { rightsEnding } from '../service/rights-ending.ts';
import { accountOperations } from '../users/accounts.ts';
import type { ErasureParts } from './erase.ts';
import { recordSigner } from './erasure-key.ts';

/** What an erasure is made of: what is deleted ends as if its owner, or an admin, had deleted it. */
export function erasureParts(store: Store, vault: Vault): ErasureParts {
  const rightsEnded = rightsEnding(store.storeKind);
  const { deleteUser } = accountOperations(store, { rightsEnded });
  return {
    store,
    signer: () => recordSigner(store, vault),
    deleteDevice: (call) => setDeleted(store, rightsEnded, call, call.deviceId, call.now),
    deleteUser: (call) => deleteUser(call as Parameters<typeof deleteUser>[0]),
  };
}
