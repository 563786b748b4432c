import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import type { Vault } from '../../platform/vault.ts';
import { installationValue } from '../schema/installation-value.ts';
import { ERASURE_KEY } from '../schema/sealed-places.ts';
import type { Store } from '../schema/tables.ts';

/** Signs the records of erasures with a key of this installation, which is stored encrypted. */
export interface RecordSigner {
  readonly publicKey: string;
  sign(text: string): string;
}

const CONTEXT = `settings:${ERASURE_KEY}`;
const PUBLIC = 'erasurePublicKey';

export async function recordSigner(store: Pick<Store, 'query'>, vault: Vault): Promise<RecordSigner> {
  const sealed = await installationValue(store, ERASURE_KEY, () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    return vault.seal(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), CONTEXT);
  });
  const privateKey = createPrivateKey(vault.open(sealed, CONTEXT));
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
  // Another than before where the old one was lost.
  if ((await installationValue(store, PUBLIC, () => publicKey)) !== publicKey)
    await store.query.updateTable('settings').set({ value: publicKey }).where('name', '=', PUBLIC).execute();
  return { publicKey, sign: (text) => signBytes(null, Buffer.from(text), privateKey).toString('base64') };
}

/** The key by which others tell whether a record is of this installation; none before the first erasure. */
export async function erasurePublicKey({ query }: Pick<Store, 'query'>): Promise<string | undefined> {
  const row = await query.selectFrom('settings').select('value').where('name', '=', PUBLIC).executeTakeFirst();
  return row?.value;
}

export function isSigned(record: string, signature: string, publicKey: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), type: 'spki', format: 'der' });
    return verifyBytes(null, Buffer.from(record), key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}
