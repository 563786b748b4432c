import nacl from 'tweetnacl';
import { isObject, type Json, parseJson } from './claims.ts';

/**
 * OwnTracks encrypts a message as base64 of a nonce and a libsodium secretbox (XSalsa20-Poly1305). The key is the
 * secret, padded with zero bytes.
 */

const { keyLength, nonceLength, overheadLength } = nacl.secretbox;

/** The decrypted message, or undefined if the secret is wrong. */
export function decrypted(data: unknown, secret: string): Json | undefined {
  const key = keyOf(secret);
  if (typeof data !== 'string' || key === undefined) return undefined;
  const sealed = Uint8Array.from(Buffer.from(data, 'base64'));
  if (sealed.length < nonceLength + overheadLength) return undefined;
  const text = nacl.secretbox.open(sealed.subarray(nonceLength), sealed.subarray(0, nonceLength), key);
  const message = text === null ? undefined : parseJson(new TextDecoder().decode(text));
  return isObject(message) ? message : undefined;
}

/** A whole response in one encrypted message, as the app expects it; undefined if the secret is not a valid key. */
export function encrypted(answer: unknown, secret: string): Json | undefined {
  const key = keyOf(secret);
  if (key === undefined) return undefined;
  const nonce = nacl.randomBytes(nonceLength);
  const box = nacl.secretbox(new TextEncoder().encode(JSON.stringify(answer)), nonce, key);
  return { _type: 'encrypted', data: Buffer.concat([nonce, box]).toString('base64') };
}

function keyOf(secret: string): Uint8Array | undefined {
  const bytes = new TextEncoder().encode(secret);
  if (bytes.length === 0 || bytes.length > keyLength) return undefined;
  const key = new Uint8Array(keyLength);
  key.set(bytes);
  return key;
}
