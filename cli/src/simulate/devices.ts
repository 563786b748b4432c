import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@trackway/client/api-error.ts';
import type { Client } from '@trackway/client/client.ts';
import { Failure } from '../command.ts';

/** The simulated devices on a server. They are created once, found again by name and type, and their keys are saved. */

/** Marks simulated devices, so that a real device of the same name is never used. */
const TYPE = 'simulated';
const PAGE = 1000;
const CONCURRENCY = 8;
export const KEYS_FILE = '.trackway-simulate.json';

export interface KeyedDevice {
  readonly id: number;
  key: string;
  /** Requests a new key, for when the server rejects this one. */
  renew(): Promise<void>;
}

/** A device to create: one with an identity reports without a key. */
export interface WantedDevice {
  readonly name: string;
  readonly identity?: { readonly imei?: string; readonly serial?: string };
}

export async function simulatedDevices(
  client: Client,
  url: string,
  wanted: readonly WantedDevice[],
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
        const { name, identity } = wanted[index]!;
        devices[index] = await keyed(
          client,
          keys,
          known.get(name),
          name,
          identity && { ...identity, allowKeyless: true },
        );
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return devices;
  } catch (error) {
    throw new Failure(`Cannot create the devices: ${reasonOf(error, url)}`, { cause: error });
  } finally {
    await keys.save();
  }
}

async function existing(client: Client): Promise<Map<string, number>> {
  const known = new Map<string, number>();
  for (let skip = 0; ; skip += PAGE) {
    const filter = { where: { type: TYPE }, fields: ['id', 'name'], order: 'id', limit: PAGE, skip };
    const page = await retried(() => client.listDevices({ filter }));
    for (const { id, name } of page) if (id != null && name != null) known.set(name, id);
    if (page.length < PAGE) return known;
  }
}

async function keyed(
  client: Client,
  keys: Keys,
  existingId: number | undefined,
  name: string,
  identity: object | undefined,
): Promise<KeyedDevice> {
  const body = { name, type: TYPE, ...identity };
  const created = existingId === undefined ? await retried(() => client.createDevice({ body })) : undefined;
  const id = existingId ?? Number(created!.id);
  if (!created && identity) await retried(() => client.updateDevice({ id, body: identity }));
  const rotate = async () => String((await retried(() => client.rotateDeviceKey({ id }))).deviceKey);
  const device: KeyedDevice = {
    id,
    key: created?.deviceKey ?? keys.of(id) ?? (await rotate()),
    async renew() {
      device.key = await rotate();
      keys.set(id, device.key);
      await keys.save();
    },
  };
  keys.set(id, device.key);
  return device;
}

/** Repeats a call that was rejected by a rate limit, after the time in the response. */
async function retried<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || attempt === 10) throw error;
      await sleep(1000 * Math.min(60, error.retryAfter ?? attempt));
    }
  }
}

function reasonOf(error: unknown, url: string): string {
  if (error instanceof ApiError) return `${error.status} ${error.message}`;
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? `connection refused by ${url}.` : message || code || String(error);
}

type Stored = Record<string, Record<string, string>>;

/** Keys by server and device, saved in a file of the working directory that only its owner can read. */
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
      throw new Failure(`Cannot read the keys of the simulated devices in ${file}: ${error.message}.`);
    });
    try {
      return new Keys(file, JSON.parse(text), url);
    } catch {
      throw new Failure(`The file ${file} is not valid JSON. Delete it to give the devices new keys.`);
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
    // Written by a rename, so that the file is never incomplete. An existing file may have wider permissions.
    const draft = `${this.#file}.${process.pid}`;
    await writeFile(draft, `${JSON.stringify(this.#stored, null, 1)}\n`, { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, this.#file);
  }
}
