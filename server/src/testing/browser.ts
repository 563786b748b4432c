import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

/** A browser: it has keys, and reads what was encrypted for it. */
export class Browser {
  readonly auth = randomBytes(16);
  readonly #curve: ECDH = createECDH('prime256v1');

  constructor() {
    this.#curve.generateKeys();
  }

  get keys(): { readonly p256dh: string; readonly auth: string } {
    return { p256dh: this.#curve.getPublicKey('base64url'), auth: this.auth.toString('base64url') };
  }

  subscription(endpoint: string): string {
    return JSON.stringify({ endpoint, keys: this.keys });
  }

  /** RFC 8291, with the content encoding of RFC 8188. */
  read(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const keyLength = body[20]!;
    const server = body.subarray(21, 21 + keyLength);
    const sealed = body.subarray(21 + keyLength);
    const shared = this.#curve.computeSecret(server);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#curve.getPublicKey(), server]);
    const secret = hkdfSync('sha256', shared, this.auth, info, 32);
    const derive = (name: string, bytes: number) =>
      Buffer.from(hkdfSync('sha256', new Uint8Array(secret), salt, `Content-Encoding: ${name}\0`, bytes));
    const opener = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    opener.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([opener.update(sealed.subarray(0, -16)), opener.final()]);
    return plain.subarray(0, plain.lastIndexOf(2)).toString();
  }
}
