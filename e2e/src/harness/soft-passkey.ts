import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** An authenticator in software, which signs whatever it is asked to: ES256, without attestation. */
export class SoftPasskey {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly id = randomBytes(32).toString('base64url');
  /** What it says of itself; a test may change it. */
  counter = 0;
  isVerified = true;

  /** The answer to the options of a new passkey. */
  create(options: { challenge: string; rp: { id: string } }, origin: string): object {
    const id = Buffer.from(this.id, 'base64url');
    const jwk = this.#keys.publicKey.export({ format: 'jwk' });
    const [x, y] = [Buffer.from(jwk.x!, 'base64url'), Buffer.from(jwk.y!, 'base64url')];
    // COSE: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
    const key = Buffer.concat([head, x, Buffer.from([0x22, 0x58, 0x20]), y]);
    const length = Buffer.from([id.length >> 8, id.length & 255]);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, key]);
    const authData = Buffer.concat([this.#authData(options.rp.id, 0x40), credential]);
    const text = (word: string) => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)]);
    const size = Buffer.from([0x58, authData.length]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), size, authData],
    ]);
    const response = {
      clientDataJSON: clientData('webauthn.create', options.challenge, origin).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
    };
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} };
  }

  /** The answer to the options of a sign-in. */
  get(options: { challenge: string; rpId: string }, origin: string): object {
    const authData = this.#authData(options.rpId, 0);
    const client = clientData('webauthn.get', options.challenge, origin);
    const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()]);
    const response = {
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
    };
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #authData(rpId: string, more: number): Buffer {
    const flags = 0x01 | (this.isVerified ? 0x04 : 0) | more;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), counter]);
  }
}

const clientData = (type: string, challenge: string, origin: string) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
