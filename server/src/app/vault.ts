import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { findRow } from '../domain/rows.ts';
import { discardUnreadable, sealStored } from '../domain/schema/seal-stored.ts';
import type { Store } from '../domain/schema/tables.ts';
import type { Log } from '../platform/log.ts';
import {
  CannotOpen,
  createVault,
  keyFile,
  keyOfSecret,
  makeKeys,
  readKeys,
  replaceKeys,
  type Vault,
} from '../platform/vault.ts';
import type { Settings } from './settings.ts';

type KeySettings = Pick<Settings, 'secret' | 'data'>;

/**
 * A text that only the right key decrypts, so that a wrong key is detected at the start and not when a webhook is
 * signed.
 */
const PROOF = { name: 'vault', text: 'trackway', context: 'settings:vault' };

/**
 * Opens the vault of the settings, proves that its key is that of the database, and encrypts what an earlier version or
 * an older key left. The start waits for that: it is short, and afterwards nothing is in plain.
 */
export async function openVault(store: Store, settings: KeySettings, log: Pick<Log, 'info'>): Promise<Vault> {
  const proof = await readProof(store);
  const keys = keysOf(settings, proof !== undefined);
  const vault = createVault(keys);
  await prove(store, vault, settings);
  const sealed = await sealStored(store, vault);
  if (sealed > 0) log.info({ sealed }, 'Secrets in the database were encrypted');
  await keepProof(store, vault);
  forgetOldKeys(settings, keys);
  return vault;
}

/** Encrypts everything with a new key. The old one stays in the file until that is done, so it can be interrupted. */
export async function rotateKey(store: Store, settings: KeySettings, newKey: Buffer): Promise<number> {
  const file = keyFile(resolve(settings.data));
  const keys = keysOf(settings, (await readProof(store)) !== undefined);
  const vault = createVault(keys);
  await prove(store, vault, settings);
  // Where an earlier rotation was interrupted, it is finished with the key that it had begun with.
  const rotating = settings.secret !== '' || keys.length > 1 ? keys : [newKey, ...keys];
  if (settings.secret === '') replaceKeys(file, rotating);
  const next = createVault(rotating);
  const sealed = await sealStored(store, next);
  await keepProof(store, next);
  forgetOldKeys(settings, rotating);
  return sealed;
}

/** Gives up the secrets whose key is lost. The keys that are there stay in use; where there is none, one is made. */
export async function discardSecrets(store: Store, settings: KeySettings): Promise<number> {
  const vault = createVault(keysOf(settings, false));
  const gone = await discardUnreadable(store, vault);
  await store.query.deleteFrom('settings').where('name', '=', PROOF.name).execute();
  await prove(store, vault, settings);
  return gone;
}

/** Where the key is, for `doctor` and the errors. */
export const keyPlace = ({ secret, data }: KeySettings) =>
  secret === '' ? `the file ${keyFile(resolve(data))}` : 'TRACKWAY_SECRET';

/** The keys of the setting first, then the keys of the file, which an installation had before it used the setting. */
function keysOf({ secret, data }: KeySettings, isInUse: boolean): Buffer[] {
  const folder = resolve(data);
  const given = secret === '' ? [] : secret.split(',').map((one) => keyOfSecret(one.trim()));
  const kept = readKeys(keyFile(folder)) ?? [];
  if (given.length + kept.length > 0) return [...given, ...kept];
  if (isInUse) throw lostKey({ secret, data });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return makeKeys(keyFile(folder));
}

async function readProof(store: Store): Promise<string | undefined> {
  const row = await findRow(store.query, 'settings', { name: PROOF.name }, ['value']);
  return row?.value;
}

/** The first server to start with a database decides about its key. */
async function prove(store: Store, vault: Vault, settings: KeySettings): Promise<void> {
  await store.query
    .insertInto('settings')
    .values({ name: PROOF.name, value: vault.seal(PROOF.text, PROOF.context) })
    .onConflict((on) => on.column('name').doNothing())
    .execute();
  try {
    vault.open((await readProof(store))!, PROOF.context);
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error;
    throw lostKey(settings, error);
  }
}

async function keepProof(store: Store, vault: Vault): Promise<void> {
  if (vault.isCurrent((await readProof(store))!)) return;
  await store.query
    .updateTable('settings')
    .set({ value: vault.seal(PROOF.text, PROOF.context) })
    .where('name', '=', PROOF.name)
    .execute();
}

/** Once everything is encrypted with the current key, the file needs no other. */
function forgetOldKeys({ secret, data }: KeySettings, keys: readonly Buffer[]): void {
  if (secret === '' && keys.length > 1) replaceKeys(keyFile(resolve(data)), keys.slice(0, 1));
}

function lostKey(settings: KeySettings, cause?: unknown): Error {
  return new Error(
    `The secrets in this database are encrypted with a key that is missing here. Restore ${keyPlace(settings)}, ` +
      'or set TRACKWAY_SECRET as the other servers of this database have it. ' +
      'If it is lost permanently, run "trackway secret discard": webhooks, phones and browsers must then be set up again.',
    { cause },
  );
}
