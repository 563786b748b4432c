import type { Caller, Right } from '../../calls.ts';
import { RecentMap } from '../../platform/caches.ts';
import type { Store } from '../schema/tables.ts';

/** The users who may see a device. */
export interface Audience {
  readonly ownerId: number;
  readonly isDeleted: boolean;
  readonly shares: ReadonlyMap<number, Right>;
}

export interface Who {
  readonly caller: Caller;
  /** Undefined if the reader wants all devices it may see. */
  readonly devices: ReadonlySet<number> | undefined;
  /** Whether its stream continues when it may no longer see any of its devices. */
  readonly staysOpen?: boolean;
}

export const isWanted = ({ devices }: Who, deviceId: number) => devices === undefined || devices.has(deviceId);

/** The caller's right on a device, deleted or not. */
export function rightIn(audience: Audience | undefined, { userId, admin }: Caller): Right | undefined {
  if (audience === undefined) return undefined;
  return admin || audience.ownerId === userId ? 'own' : audience.shares.get(userId);
}

const AT_ONCE = 500;
const MANY = 100_000;

/**
 * A cache of the audiences of devices. Every change of an audience is in the live log. Each process that follows the
 * log reads the change in its order and drops the cached audience.
 */
export class Audiences {
  readonly #store: Store;
  readonly #known = new RecentMap<number, Audience | undefined>(MANY);
  #forgot = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  forget(deviceId?: number): void {
    this.#forgot++;
    if (deviceId === undefined) this.#known.clear();
    else this.#known.delete(deviceId);
  }

  async of(deviceIds: Iterable<number>): Promise<(deviceId: number) => Audience | undefined> {
    const found = new Map<number, Audience | undefined>();
    const missing: number[] = [];
    for (const id of new Set(deviceIds)) {
      if (this.#known.has(id)) found.set(id, this.#known.get(id));
      else missing.push(id);
    }
    for (let start = 0; start < missing.length; start += AT_ONCE) {
      const ids = missing.slice(start, start + AT_ONCE);
      const forgot = this.#forgot;
      const loaded = await this.#load(ids);
      for (const id of ids) {
        found.set(id, loaded.get(id));
        // An audience that was dropped while loading may have been read before its change.
        if (forgot === this.#forgot) this.#known.set(id, loaded.get(id));
      }
    }
    return (deviceId) => found.get(deviceId);
  }

  async #load(ids: readonly number[]): Promise<Map<number, Audience>> {
    const rows = await this.#store.query
      .selectFrom('devices')
      .leftJoin('shares', 'shares.deviceId', 'devices.id')
      .select(['devices.id', 'devices.ownerId', 'devices.deletedAt', 'shares.userId', 'shares.rights'])
      .where('devices.id', 'in', ids)
      .execute();
    const loaded = new Map<number, Audience & { shares: Map<number, Right> }>();
    for (const { id, ownerId, deletedAt, userId, rights } of rows) {
      const audience = loaded.get(id) ?? { ownerId, isDeleted: deletedAt !== null, shares: new Map() };
      if (userId !== null && rights !== null) audience.shares.set(userId, rights);
      loaded.set(id, audience);
    }
    return loaded;
  }
}
