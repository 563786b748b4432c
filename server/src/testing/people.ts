import { device as deviceNoun } from '@trackway/contract/resources/device.ts';
import type { Call, Caller } from '../calls.ts';
import { createDevice } from '../domain/devices/create.ts';
import { collectionOf } from '../domain/schema/table.ts';
import type { Store } from '../domain/schema/tables.ts';
import { createAccount } from '../domain/users/accounts.ts';

/** The starting point of domain tests: users, their devices, and their calls. */

export const NOW = Date.parse('2026-06-01T12:00:00.000Z');
export const PASSWORD = 'correct horse';

export async function makeUser(store: Store, email: string, admin = false): Promise<Caller> {
  const { id } = await createAccount(store, { email, admin }, PASSWORD, NOW);
  // In a session that is not fresh.
  return { userId: id, admin, tokenId: 0, signedInAt: NOW - 86_400_000 };
}

export async function makeDevice(store: Store, ownerId: number, values: Record<string, unknown> = {}): Promise<number> {
  const { id } = await createDevice(store, collectionOf(store, 'devices', deviceNoun), ownerId, values, NOW);
  return id;
}

export async function shareWith(
  store: Store,
  deviceId: number,
  userId: number,
  rights: 'view' | 'manage' = 'manage',
): Promise<void> {
  await store.query.insertInto('shares').values({ deviceId, userId, rights, created: NOW }).execute();
}

/** The parameters of a path by their names, for operations that read them so. */
interface Places {
  readonly keys?: Readonly<Record<string, number>>;
  readonly texts?: Readonly<Record<string, string>>;
}

/** A call as the edge would make it. What an operation is called with follows from where the call is used. */
export function callOf<Body, Parameters = Record<never, never>>(
  caller: Caller,
  more: Partial<Omit<Call<Body, Parameters>, 'keys' | 'texts'>> & Places = {},
): Call<Body, Parameters> & { readonly keys: never; readonly texts: never } {
  return {
    caller,
    deviceId: 0,
    right: 'own',
    userId: caller.userId,
    key: 0,
    query: [],
    // An operation that needs them is given them in `more`.
    parameters: {} as Parameters,
    body: undefined as Body,
    sent: {},
    now: NOW,
    address: '127.0.0.1',
    origin: 'http://localhost:8080',
    ...more,
    // Whatever names the path of the operation has.
    keys: (more.keys ?? {}) as never,
    texts: (more.texts ?? {}) as never,
  };
}
