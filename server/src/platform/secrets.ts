import { hash, hkdfSync, randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Letters and digits, each with slightly less than 6 bits of entropy. */
export function randomSecret(length: number): string {
  let secret = '';
  while (secret.length < length) secret += ALPHABET[randomInt(ALPHABET.length)];
  return secret;
}

/** The stored form of a secret. Secrets are long and random, so a plain hash cannot be reversed. */
export const fingerprint = (secret: string) => hash('sha256', secret, 'base64url');

/** Derives a secret from another one and a salt: it can be reproduced only with both. */
export function derivedSecret(from: string, salt: string, use: string): string {
  const letters = [...new Uint8Array(hkdfSync('sha256', from, salt, use, 2 * DERIVED_LENGTH))]
    // Bytes beyond the last multiple would make some letters more likely than others.
    .filter((byte) => byte < ALPHABET.length * 4)
    .map((byte) => ALPHABET[byte % ALPHABET.length]!);
  return letters.slice(0, DERIVED_LENGTH).join('');
}

const DERIVED_LENGTH = 64;
