import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Encrypts the secrets that the database must give back in full, such as the signing secret of a webhook. The key is
 * kept outside the database, so a copy of the database alone reveals none of them.
 */
export interface Vault {
  /**
   * Encrypts a text with the current key.
   *
   * @param context where the text is stored, such as `devices.secret:17`: what is sealed for one place cannot be opened
   *   in another
   */
  seal(text: string, context: string): string;
  /** Decrypts what `seal` returned. A text that is not sealed was stored by an earlier version and is returned as it is. */
  open(stored: string, context: string): string;
  /** Whether the text is sealed with the current key. */
  isCurrent(stored: string): boolean;
  /** Names the current key, and reveals nothing of it. */
  readonly keyId: string;
}

/** The key that a text was sealed with is not there, or the text was changed or moved. */
export class CannotOpen extends Error {}

export const KEY_BYTES = 32;
const PREFIX = 'sealed:';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/**
 * @param keys the current key first, then those that still open what was sealed before
 */
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
      if (key === undefined) throw new CannotOpen(`The key ${id}, with which ${context} is encrypted, is missing.`);
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

/** What `seal` returns, and nothing that an earlier version stored: a plain secret of this form is not to be expected. */
export const isSealed = (stored: string) => /^sealed:[0-9a-f]{8}:[\w-]{38,}$/.test(stored);

/** A key of the right length from a passphrase of the operator's, who was told to make it long and random. */
export const keyOfSecret = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'trackway secrets at rest', KEY_BYTES));

export const newKey = (): Buffer => randomBytes(KEY_BYTES);

const keyIdOf = (key: Buffer) => createHash('sha256').update('trackway key id').update(key).digest('hex').slice(0, 8);
