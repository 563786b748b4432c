import { hash, randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Letters and digits, each with slightly less than 6 bits of entropy. */
export function randomSecret(length: number): string {
  let secret = '';
  while (secret.length < length) secret += ALPHABET[randomInt(ALPHABET.length)];
  return secret;
}

/** The stored form of a secret. Secrets are long and random, so a plain hash cannot be reversed. */
export const fingerprint = (secret: string) => hash('sha256', secret, 'base64url');
