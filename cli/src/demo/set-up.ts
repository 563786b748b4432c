import type { Client } from '@trackway/client/client.ts';
import type { Input } from '@trackway/client/input.ts';
import type { Fleet } from '@trackway/simulator/fleet.ts';
import { identityOf } from '@trackway/simulator/trackers/voices.ts';
import { type DemoDevice, demoDevices } from './demo-fleet.ts';
import type { DemoSender } from './demo-road.ts';
import { createFences } from './fences.ts';

/** Creates the fences, devices and triggers of the demo by the public API. */

export interface MadeDevice extends DemoSender {
  readonly type: string;
}

export async function setUpDemo(client: Client, fleet: Fleet, hook: string): Promise<MadeDevice[]> {
  await createFences(client, fleet.city);
  const made: MadeDevice[] = [];
  for (const [index, { protocol, ...device }] of demoDevices(fleet).entries()) {
    const tracker = protocol && { ...identityOf(protocol, index), allowKeyless: true };
    const { id, deviceKey } = await client.createDevice({ body: { ...device, tags: [...device.tags], ...tracker } });
    for (const trigger of triggersOf(device, hook)) await client.createNotificationTrigger({ id, body: trigger });
    made.push({ id, key: deviceKey, protocol, type: device.type });
  }
  return made;
}

/** Notifications are shown in the console and told to the webhook of the demo. It sends nothing to other machines. */
export const delivery = { push: false, email: false, http: true };

type TriggerBody = NonNullable<Input<'createNotificationTrigger'>['body']>;

/** Of several severities, so that lists show what is urgent. */
function triggersOf({ type }: Pick<DemoDevice, 'type'>, endpoint: string): TriggerBody[] {
  const common = { delivery, muteFor: 0 };
  switch (type) {
    case 'van':
      return [
        { ...common, type: 'geofence', name: 'Depot', parameters: { zoneGroup: 'depot', zoneType: 'cross', endpoint } },
        {
          ...{ ...common, type: 'speed', name: 'Speeding', severity: 'warning', muteFor: 600 },
          parameters: { limit: 75, for: 20, endpoint },
        },
        {
          ...{ ...common, type: 'temp', name: 'Cold chain', severity: 'critical', muteFor: 1800 },
          parameters: { max: 8, endpoint },
        },
      ];
    case 'bike':
      return [{ ...common, type: 'geoEntry', name: 'District', parameters: { zoneGroup: 'district', endpoint } }];
    case 'person':
      return [
        { ...common, type: 'button', name: 'Help', severity: 'critical', parameters: { endpoint } },
        {
          ...common,
          type: 'geofence',
          name: 'Patrol',
          parameters: { zoneGroup: 'district', zoneType: 'cross', endpoint },
        },
      ];
    default:
      return [
        { ...common, type: 'motionStart', name: 'Unexpected motion', severity: 'warning', parameters: { endpoint } },
      ];
  }
}
