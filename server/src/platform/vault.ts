import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Encrypts secrets that the database must return in plain text, such as the signing secret of a webhook. The key is
 * stored outside the database, so a copy of the database alone reveals none of them.
 */
export interface Vault {
  /**
   * Encrypts a text with the current key.
   *
   * @param context where the text is stored, such as `devices.secret:17`: a value sealed for one place cannot be opened
   *   in another
   */
  seal(text: string, context: string): string;
  /**
   * Decrypts a result of `seal`. A text that is not sealed was stored by an earlier version and is returned unchanged.
   */
  open(stored: string, context: string): string;
  /** Whether the text is sealed with the current key. */
  isCurrent(stored: string): boolean;
  /** Identifies the current key without revealing it. */
  readonly keyId: string;
}

/** The key of a text is missing, or the text was changed or moved. */
export class CannotOpen extends Error {}

const KEY_BYTES = 32;
const PREFIX = 'sealed:';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** @param keys the current key first, then older ones that are still needed for decryption */
export function createVault(keys: readonly Buffer[]): Vault {
  const known = new Map(keys.map((key) => [keyIdOf(key), key]));
  const [current] = keys;
  if (current === undefined) throw new Error('A vault needs a key.');
  const keyId = keyIdOf(current);
  const currentPrefix = `${PREFIX}${keyId}:`;

  return {
    keyId,
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, current, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return currentPrefix + sealed.toString('base64url');
    },
    open(stored, context) {
      if (!isSealed(stored)) return stored;
      const [, id, content] = stored.split(':') as [string, string, string];
      const key = known.get(id);
      if (key === undefined) throw new CannotOpen(`The key ${id} is missing, but ${context} is encrypted with it.`);
      const bytes = Buffer.from(content, 'base64url');
      try {
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (error) {
        throw new CannotOpen(`${context} cannot be decrypted: it was changed or belongs elsewhere.`, { cause: error });
      }
    },
    isCurrent: (stored) => stored.startsWith(currentPrefix),
  };
}

/** Matches results of `seal`, and no values of earlier versions: a plain secret of this format is not expected. */
export const isSealed = (stored: string) => /^sealed:[0-9a-f]{8}:[\w-]{38,}$/.test(stored);

/** Derives a key of the right length from the operator's passphrase, which must be long and random. */
export const keyOfSecret = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'trackway secrets at rest', KEY_BYTES));

export const newKey = (): Buffer => randomBytes(KEY_BYTES);

const keyIdOf = (key: Buffer) => createHash('sha256').update('trackway key id').update(key).digest('hex').slice(0, 8);

/** The key file, next to the database. */
export const keyFile = (folder: string) => join(folder, 'trackway.key');

const ABOUT = '# Encrypts the secrets in the database. Keep a copy outside the backups: without it, they are lost.';

/** The current key first, then the keys that a rotation still needs; undefined if there is no file. */
export function readKeys(file: string): Buffer[] | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => Buffer.from(line, 'base64url'));
  if (keys.length === 0 || keys.some((key) => key.length !== KEY_BYTES))
    throw new Error(`The file ${file} is damaged. Restore it from a copy.`);
  chmodSync(file, 0o600);
  return keys;
}

/** Creates the file. Concurrent processes all get the key of the first. */
export function makeKeys(file: string): Buffer[] {
  const partial = writePartial(file, [newKey()]);
  try {
    // Unlike a rename, a link never replaces a file of another process.
    linkSync(partial, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(partial);
  }
  return readKeys(file)!;
}

/** Replaces the file atomically. */
export function replaceKeys(file: string, keys: readonly Buffer[]): void {
  renameSync(writePartial(file, keys), file);
}

function writePartial(file: string, keys: readonly Buffer[]): string {
  const partial = `${file}.${randomBytes(4).toString('hex')}.partial`;
  const handle = openSync(partial, 'wx', 0o600);
  try {
    writeSync(handle, `${[ABOUT, ...keys.map((key) => key.toString('base64url'))].join('\n')}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return partial;
}
