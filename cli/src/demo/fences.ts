import type { Client } from '@trackway/client/client.ts';
import { corridorOutline, simplerRoute } from '@trackway/contract/corridor.ts';
import type { City } from '@trackway/simulator/city.ts';
import { LEG } from '@trackway/simulator/drive.ts';
import { depotFence, districtFence, quarterFences } from '@trackway/simulator/fences.ts';
import { type Place, placeOf } from '@trackway/simulator/ground.ts';

/**
 * The geofences of the demo: depots, which are on a list, districts, quarters, and a corridor from one depot to
 * another. The quarters name every place: the nearest real one has nothing to do with the fictional city.
 */

const DISTRICTS = 3;
const DEPOT_COLOR = '#b4540a';
const DISTRICT_COLORS = ['#6d5bd0', '#12805a', '#2f6fc4'];
const QUARTER_COLOR = '#77838e';
const CORRIDOR = { name: 'Night route', widthM: 60, color: '#9a3b7a' };

export async function createFences(client: Client, city: City): Promise<void> {
  const list = await client.createGeofenceList({ userid: 0, body: { name: 'Depots', color: DEPOT_COLOR } });
  for (let depot = 0; depot < city.depots; depot++) {
    const { id } = await createFence(client, depotFence(city, depot, 130), DEPOT_COLOR);
    await client.putGeofenceOnList({ userid: 0, fenceid: id, listid: list.id });
  }
  for (let number = 0; number < DISTRICTS; number++)
    await createFence(client, districtFence(city, number), DISTRICT_COLORS[number]!);
  for (const fence of quarterFences(city)) await createFence(client, fence, QUARTER_COLOR);
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
  if ('problem' in found) throw new Error(`The corridor of the demo is refused: ${found.problem}`);
  const meta = { color, corridor: { path, widthM } };
  await client.createGeofence({ id: 'me', body: { name, type: 'route', outline: [...found.outline], meta } });
}

/** The streets from one address to another. */
function routeOf(city: City, from: number, to: number): Place[] {
  const { legs } = city.drive(from, to, 'car');
  const starts = Array.from({ length: legs.length / LEG }, (_, leg) => ({
    x: legs[leg * LEG]!,
    y: legs[leg * LEG + 1]!,
  }));
  return [...starts, city.addresses[to]!].map((spot) => placeOf(city.ground, spot));
}
