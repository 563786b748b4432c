import { createClient } from './client.ts';

/**
 * Checked by the compiler: code that must not compile is marked with an expected error, which fails once it compiles.
 */
export async function compiles(): Promise<void> {
  const client = createClient({ url: 'http://127.0.0.1' });

  const { id, ttl } = await client.login({ body: { email: 'a@b.example', password: 'secret' } });
  ({ id, ttl }) satisfies { id: string; ttl: number };

  const fence = await client.createGeofence({ id: 'me', body: { name: 'Yard', radius: 5 } });
  fence.wasInside satisfies boolean;
  fence.name satisfies string | null;
  const [summary] = await client.summarizePlans({ userid: 1, consumed: true }, { version: 'v2' });
  summary?.count satisfies number | undefined;
  const found = await client.listGeofences({ id: 5, filter: { limit: 1, where: { type: 'safe' } } });
  found[0]?.id satisfies number | undefined;
  (await client.countDevices({ where: { active: true } })).count satisfies number;
  (await client.listDevices())[0]?.firstSeen satisfies string | undefined;
  (await client.deleteGeofence({ id: 'me', fk: 1 })) satisfies undefined;
  (await client.createUser({ body: { email: 'a@b.example', password: '12345678' } })).email satisfies string;
  (await client.restoreDevice({ id: 1 })).ownerId satisfies number;

  // @ts-expect-error the child's key is missing
  await client.getGeofence({ id: 'me' });
  // @ts-expect-error a device is needed
  await client.listPoints();
  // @ts-expect-error there is no such field
  await client.createGeofence({ id: 'me', body: { nmae: 'Yard' } });
  // @ts-expect-error a count has a where, not a filter
  await client.countGeofences({ id: 'me', filter: {} });
  // @ts-expect-error a read has no body
  await client.getDevice({ id: 1, body: {} });
  // @ts-expect-error an account is never shown with its password
  (await client.createUser({ body: { email: 'a@b.example' } })).password;
  // @ts-expect-error no operation has this name
  await client.makeGeofence({ id: 'me' });
}
