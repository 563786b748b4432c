import { hash, randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Letters and digits, with a little under 6 bits of chance in each. */
export function randomSecret(length: number): string {
  let secret = '';
  while (secret.length < length) secret += ALPHABET[randomInt(ALPHABET.length)];
  return secret;
}

/** What is stored of a secret. They are long and random, so a plain hash can't be turned back. */
export const fingerprint = (secret: string) => hash('sha256', secret, 'base64url');
