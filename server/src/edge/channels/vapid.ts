import { createECDH } from 'node:crypto';

/**
 * The keys that identify this server to push services. Browsers subscribe with the public key, so the keys never
 * change.
 */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Reads the value stored under a name, or creates and stores it if there is none yet. */
type ReadOrMake = (name: string, make: () => string) => Promise<string>;

export async function vapidKeys(readOrMake: ReadOrMake): Promise<VapidKeys> {
  return JSON.parse(await readOrMake('vapidKeys', () => JSON.stringify(makeKeys()))) as VapidKeys;
}

function makeKeys(): VapidKeys {
  const curve = createECDH('prime256v1');
  curve.generateKeys();
  // A private key with leading zeros is returned without them and must be padded.
  const privateKey = Buffer.concat([Buffer.alloc(32), curve.getPrivateKey()]).subarray(-32);
  return { publicKey: curve.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') };
}
