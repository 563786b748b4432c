import { createVault, newKey } from '../platform/vault.ts';

/** A vault for tests, with a key that ends with the process. */
export const testVault = createVault([newKey()]);
