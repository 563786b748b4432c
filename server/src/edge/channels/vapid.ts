import { createECDH } from 'node:crypto';

/** The keys by which push services recognize this server. Browsers subscribe with the public one, so they never change. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Reads the value that is stored under a name, or makes and stores it where there is none yet. */
export type ReadOrMake = (name: string, make: () => string) => Promise<string>;

export async function vapidKeys(readOrMake: ReadOrMake): Promise<VapidKeys> {
  return JSON.parse(await readOrMake('vapidKeys', () => JSON.stringify(makeKeys()))) as VapidKeys;
}

function makeKeys(): VapidKeys {
  const curve = createECDH('prime256v1');
  curve.generateKeys();
  // A private key with leading zeros comes out shorter than it must be.
  const privateKey = Buffer.concat([Buffer.alloc(32), curve.getPrivateKey()]).subarray(-32);
  return { publicKey: curve.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') };
}
