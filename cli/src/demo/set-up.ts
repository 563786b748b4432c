import type { Client } from '@trackway/client/client.ts';
import { depotFence, districtFence } from '@trackway/simulator/fences.ts';
import type { Fleet } from '@trackway/simulator/fleet.ts';
import { identityOf } from '@trackway/simulator/trackers/voices.ts';
import { type DemoDevice, demoDevices } from './demo-fleet.ts';
import type { DemoSender } from './demo-road.ts';

/** Creates the fences, devices and triggers of the demo by the public API. */

const DISTRICTS = 3;
const DEPOT_COLOR = '#b4540a';
const DISTRICT_COLORS = ['#6d5bd0', '#12805a', '#2f6fc4'];

export async function setUpDemo(client: Client, fleet: Fleet, hook: string): Promise<DemoSender[]> {
  const { city } = fleet;
  const depots = Array.from({ length: city.depots }, (_, depot) => depotFence(city, depot, 130));
  const districts = Array.from({ length: DISTRICTS }, (_, number) => districtFence(city, number));
  for (const fence of depots) await createFence(client, fence, DEPOT_COLOR);
  for (const [index, fence] of districts.entries()) await createFence(client, fence, DISTRICT_COLORS[index]!);

  const senders: DemoSender[] = [];
  for (const [index, { protocol, ...device }] of demoDevices(fleet).entries()) {
    const tracker = protocol && { ...identityOf(protocol, index), allowKeyless: true };
    const { id, deviceKey } = await client.createDevice({ body: { ...device, tags: [...device.tags], ...tracker } });
    for (const trigger of triggersOf(device, hook)) await client.createNotificationTrigger({ id, body: trigger });
    senders.push({ id, key: deviceKey, protocol });
  }
  return senders;
}

const createFence = (client: Client, { outline, ...fence }: ReturnType<typeof depotFence>, color: string) =>
  client.createGeofence({
    id: 'me',
    body: { ...fence, ...(outline && { outline: [...outline] }), meta: { color } },
  });

/** Notifications are shown in the console and told to the webhook of the demo. It sends nothing to other machines. */
const delivery = { push: false, email: false, http: true };

function triggersOf({ type }: Pick<DemoDevice, 'type'>, endpoint: string) {
  const common = { delivery, muteFor: 0 };
  switch (type) {
    case 'van':
      return [
        { ...common, type: 'geofence', name: 'Depot', parameters: { zoneGroup: 'depot', zoneType: 'cross', endpoint } },
        { ...common, type: 'speed', name: 'Speeding', parameters: { limit: 75, for: 20, endpoint }, muteFor: 600 },
        { ...common, type: 'temp', name: 'Cold chain', parameters: { max: 8, endpoint }, muteFor: 1800 },
      ];
    case 'bike':
      return [{ ...common, type: 'geoEntry', name: 'District', parameters: { zoneGroup: 'district', endpoint } }];
    case 'person':
      return [
        { ...common, type: 'button', name: 'Help', parameters: { endpoint } },
        {
          ...common,
          type: 'geofence',
          name: 'Patrol',
          parameters: { zoneGroup: 'district', zoneType: 'cross', endpoint },
        },
      ];
    default:
      return [{ ...common, type: 'motionStart', name: 'Unexpected motion', parameters: { endpoint } }];
  }
}
