import type { Client } from '@trackway/client/client.ts';
import { corridorOutline, simplerRoute } from '@trackway/contract/corridor.ts';
import type { City } from '@trackway/simulator/city.ts';
import { LEG } from '@trackway/simulator/drive.ts';
import { allDistricts, depotFence } from '@trackway/simulator/fences.ts';
import { type Place, placeOf } from '@trackway/simulator/ground.ts';

/**
 * The geofences of the demo: depots, which are on a list, districts, and a corridor between two depots. The districts
 * give every place a name, because the nearest real place is unrelated to the fictional city.
 */

const DEPOT_COLOR = '#b4540a';
const DISTRICT_COLORS = ['#6d5bd0', '#12805a', '#2f6fc4', '#a8741a', '#0f7f8c', '#8a5a9e'];
const CORRIDOR = { name: 'Night route', widthM: 60, color: '#9a3b7a' };

export async function createFences(client: Client, city: City): Promise<void> {
  const list = await client.createGeofenceList({ userid: 0, body: { name: 'Depots', color: DEPOT_COLOR } });
  for (let depot = 0; depot < city.depots; depot++) {
    const { id } = await createFence(client, depotFence(city, depot, 130), DEPOT_COLOR);
    await client.putGeofenceOnList({ userid: 0, fenceid: id, listid: list.id });
  }
  for (const [number, district] of allDistricts(city).entries())
    await createFence(client, district, DISTRICT_COLORS[number]!);
  await createCorridor(client, city);
}

const createFence = (client: Client, { outline, ...fence }: ReturnType<typeof depotFence>, color: string) =>
  client.createGeofence({
    id: 'me',
    body: { ...fence, ...(outline && { outline: [...outline] }), meta: { color } },
  });

async function createCorridor(client: Client, city: City): Promise<void> {
  const { name, widthM, color } = CORRIDOR;
  const path = simplerRoute(routeOf(city, 0, 1), widthM / 10);
  const found = corridorOutline({ path, widthM });
  if ('problem' in found) throw new Error(`The corridor of the demo was rejected: ${found.problem}`);
  const meta = { color, corridor: { path, widthM } };
  await client.createGeofence({ id: 'me', body: { name, type: 'route', outline: [...found.outline], meta } });
}

/** The route along streets between two addresses. */
function routeOf(city: City, from: number, to: number): Place[] {
  const { legs } = city.drive(from, to, 'car');
  const starts = Array.from({ length: legs.length / LEG }, (_, leg) => ({
    x: legs[leg * LEG]!,
    y: legs[leg * LEG + 1]!,
  }));
  return [...starts, city.addresses[to]!].map((spot) => placeOf(city.ground, spot));
}
