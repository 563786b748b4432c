import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@trackway/client/api-error.ts';
import type { Client } from '@trackway/client/client.ts';
import { Failure } from './command.ts';

/** The devices of a simulation on a server: made once, found again by name and type, each with a key that is at hand. */

/** So that no real device of the same name is ever taken for ours. */
const TYPE = 'simulated';
const PAGE = 1000;
const AT_ONCE = 8;
export const KEYS_FILE = '.trackway-simulate.json';

export interface KeyedDevice {
  readonly id: number;
  key: string;
  /** Gets a new key where the server does not know this one. */
  renew(): Promise<void>;
}

export async function simulatedDevices(
  client: Client,
  url: string,
  wanted: readonly { readonly name: string }[],
  signal?: AbortSignal,
): Promise<KeyedDevice[]> {
  const keys = await Keys.open(KEYS_FILE, url);
  try {
    const known = await existing(client);
    const devices: KeyedDevice[] = [];
    let next = 0;
    const work = async () => {
      while (next < wanted.length && !signal?.aborted) {
        const index = next++;
        const { name } = wanted[index]!;
        devices[index] = await keyed(client, keys, known.get(name), name);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return devices;
  } catch (error) {
    throw new Failure(`The devices could not be made: ${sentence(error, url)}`, { cause: error });
  } finally {
    await keys.save();
  }
}

async function existing(client: Client): Promise<Map<string, number>> {
  const known = new Map<string, number>();
  for (let skip = 0; ; skip += PAGE) {
    const filter = { where: { type: TYPE }, fields: ['id', 'name'], order: 'id', limit: PAGE, skip };
    const page = await patient(() => client.listDevices({ filter }));
    for (const { id, name } of page) if (id != null && name != null) known.set(name, id);
    if (page.length < PAGE) return known;
  }
}

async function keyed(client: Client, keys: Keys, existingId: number | undefined, name: string): Promise<KeyedDevice> {
  const made =
    existingId === undefined ? await patient(() => client.createDevice({ body: { name, type: TYPE } })) : undefined;
  const id = existingId ?? Number(made!.id);
  const rotate = async () => String((await patient(() => client.rotateDeviceKey({ id }))).deviceKey);
  const device: KeyedDevice = {
    id,
    key: made?.deviceKey ?? keys.of(id) ?? (await rotate()),
    async renew() {
      device.key = await rotate();
      keys.set(id, device.key);
      await keys.save();
    },
  };
  keys.set(id, device.key);
  return device;
}

/** A server that has enough for now says for how long. */
async function patient<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || attempt === 10) throw error;
      await sleep(1000 * Math.min(60, error.retryAfter ?? attempt));
    }
  }
}

function sentence(error: unknown, url: string): string {
  if (error instanceof ApiError) return `${error.status} ${error.message}`;
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? `nothing listens at ${url}.` : message || code || String(error);
}

type Stored = Record<string, Record<string, string>>;

/** A file in the working directory, for the eyes of its owner: keys by server and device. */
class Keys {
  readonly #file: string;
  readonly #stored: Stored;
  readonly #own: Record<string, string>;
  #isChanged = false;
  #saving: Promise<void> = Promise.resolve();

  constructor(file: string, stored: Stored, url: string) {
    this.#file = file;
    this.#stored = stored;
    this.#own = stored[url] ??= {};
  }

  static async open(file: string, url: string): Promise<Keys> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw new Failure(`The keys of the simulated devices in ${file} can not be read: ${error.message}.`);
    });
    try {
      return new Keys(file, JSON.parse(text), url);
    } catch {
      throw new Failure(`The file ${file} is no JSON. Remove it: the devices then get new keys.`);
    }
  }

  of(id: number): string | undefined {
    return this.#own[id];
  }

  set(id: number, key: string): void {
    if (this.#own[id] === key) return;
    this.#own[id] = key;
    this.#isChanged = true;
  }

  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    // Whole or not at all; a file that was there before may be open to more eyes.
    const draft = `${this.#file}.${process.pid}`;
    await writeFile(draft, `${JSON.stringify(this.#stored, null, 1)}\n`, { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, this.#file);
  }
}
