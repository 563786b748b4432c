import type { Client } from '@trackway/client/client.ts';
import { depotFence, districtFence } from '@trackway/simulator/fences.ts';
import type { Fleet } from '@trackway/simulator/fleet.ts';
import { castOf, type Part } from './cast.ts';

/** Everything a demonstration has before it begins, made by the API as anyone would. */

const DISTRICTS = 3;
const DEPOT_COLOR = '#b4540a';
const DISTRICT_COLORS = ['#6d5bd0', '#12805a', '#2f6fc4'];

export interface StagedDevice {
  readonly id: number;
  readonly key: string;
}

export async function setStage(client: Client, fleet: Fleet): Promise<StagedDevice[]> {
  const { city } = fleet;
  const depots = Array.from({ length: city.depots }, (_, depot) => depotFence(city, depot, 130));
  const districts = Array.from({ length: DISTRICTS }, (_, number) => districtFence(city, number));
  for (const fence of depots) await makeFence(client, fence, DEPOT_COLOR);
  for (const [index, fence] of districts.entries()) await makeFence(client, fence, DISTRICT_COLORS[index]!);

  const devices: StagedDevice[] = [];
  for (const part of castOf(fleet)) {
    const { id, deviceKey } = await client.createDevice({ body: { ...part, tags: [...part.tags] } });
    for (const trigger of triggersOf(part)) await client.createNotificationTrigger({ id, body: trigger });
    devices.push({ id, key: deviceKey });
  }
  return devices;
}

const makeFence = (client: Client, { outline, ...fence }: ReturnType<typeof depotFence>, color: string) =>
  client.createGeofence({
    id: 'me',
    body: { ...fence, ...(outline && { outline: [...outline] }), meta: { color } },
  });

/** Shown in the console alone: nothing leaves this machine. */
const delivery = { push: false, email: false };

function triggersOf({ type }: Part) {
  const common = { delivery, muteFor: 0 };
  switch (type) {
    case 'van':
      return [
        { ...common, type: 'geofence', name: 'Depot', parameters: { zoneGroup: 'depot', zoneType: 'cross' } },
        { ...common, type: 'speed', name: 'Too fast', parameters: { limit: 75, for: 20 }, muteFor: 600 },
        { ...common, type: 'temp', name: 'Cold chain', parameters: { max: 8 }, muteFor: 1800 },
      ];
    case 'bike':
      return [{ ...common, type: 'geoEntry', name: 'District', parameters: { zoneGroup: 'district' } }];
    case 'person':
      return [
        { ...common, type: 'button', name: 'Help', parameters: {} },
        { ...common, type: 'geofence', name: 'Round', parameters: { zoneGroup: 'district', zoneType: 'cross' } },
      ];
    default:
      return [{ ...common, type: 'motionStart', name: 'It moves', parameters: {} }];
  }
}
