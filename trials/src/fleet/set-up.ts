import { cityFences } from '@trackway/simulator/fences.ts';
import { apiOf } from '../../../e2e/src/harness/api.ts';
import { clientOf } from '../../../e2e/src/harness/checked-client.ts';
import { adminOf } from '../../../e2e/src/harness/people.ts';
import { backdateRules } from '../../../server/src/testing/backdate.ts';
import { CITY, DEVICES, TRACKERS } from './reports.ts';
import { serve } from './serve.ts';

const TRIGGERS = [
  { type: 'geofence' },
  { type: 'speed', parameters: { limit: 45, for: 60 } },
  { type: 'temp', parameters: { min: -15, max: 25 } },
  { type: 'motionStop', parameters: { for: 300 } },
  { type: 'button' },
] as const;

/**
 * Creates the fleet on a server, with its fences and triggers. Returns the keys of the devices.
 *
 * @param endpoint the webhook that notifications go to; none are sent without one
 * @param identityOf by what a device is known that reports without its key
 */
export async function setUpFleet(
  storeKind: 'sqlite' | 'postgres',
  place: string,
  endpoint?: string,
  identityOf: (device: number) => object = () => ({}),
): Promise<string[]> {
  const server = await serve(storeKind, place);
  const api = apiOf(server.address);
  const keys: string[] = [];
  const toHook = endpoint === undefined ? {} : { endpoint };
  try {
    const { token, id } = await adminOf(api);
    const client = clientOf(api, token);
    for (const fence of cityFences(CITY))
      await client.createGeofence({ id, body: { ...fence, outline: fence.outline?.slice() } });
    for (let device = 0; device < DEVICES; device++) {
      const made = await client.createDevice({ body: { name: `Device ${device}`, ...identityOf(device) } });
      keys.push(made.deviceKey!);
      const delivery = { http: endpoint !== undefined };
      for (const { type, ...more } of TRIGGERS) {
        const parameters = { ...('parameters' in more && more.parameters), ...toHook };
        await client.createNotificationTrigger({ id: made.id, body: { type, parameters, delivery } });
      }
      if (device >= TRACKERS)
        await client.createNotificationTrigger({
          id: made.id,
          body: { type: 'newMsg', parameters: toHook, delivery },
        });
    }
  } finally {
    api.close();
    await server.stop();
  }
  await backdateRules(place);
  return keys;
}
