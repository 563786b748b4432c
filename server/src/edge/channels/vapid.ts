import { createECDH } from 'node:crypto';

/** The keys by which push services know this server. Browsers subscribe with the public one, so they stay for ever. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** What is kept under a name; what is made is kept where there is nothing yet. */
export type Keep = (name: string, make: () => string) => Promise<string>;

export async function vapidKeys(keep: Keep): Promise<VapidKeys> {
  return JSON.parse(await keep('vapidKeys', () => JSON.stringify(makeKeys()))) as VapidKeys;
}

function makeKeys(): VapidKeys {
  const curve = createECDH('prime256v1');
  curve.generateKeys();
  // A private key with leading zeros comes out shorter than it must be.
  const privateKey = Buffer.concat([Buffer.alloc(32), curve.getPrivateKey()]).subarray(-32);
  return { publicKey: curve.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') };
}
