import nacl from 'tweetnacl';
import { isObject, type Json, parseJson } from './claims.ts';

/**
 * The message inside an encrypted one, `locked` where no secret is given, undefined where the secret does not fit.
 * Base64 of a nonce and a libsodium secretbox (XSalsa20-Poly1305); the key is the secret, padded with zero bytes.
 */
export function opened(data: unknown, secret: string | undefined): Json | 'locked' | undefined {
  if (secret === undefined || secret === '') return 'locked';
  const key = new Uint8Array(nacl.secretbox.keyLength);
  const bytes = new TextEncoder().encode(secret);
  if (typeof data !== 'string' || bytes.length > key.length) return undefined;
  key.set(bytes);
  const sealed = Uint8Array.from(Buffer.from(data, 'base64'));
  const { nonceLength, overheadLength } = nacl.secretbox;
  if (sealed.length < nonceLength + overheadLength) return undefined;
  const text = nacl.secretbox.open(sealed.subarray(nonceLength), sealed.subarray(0, nonceLength), key);
  const message = text === null ? undefined : parseJson(new TextDecoder().decode(text));
  return isObject(message) ? message : undefined;
}
