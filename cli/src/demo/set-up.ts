import type { Client } from '@trackway/client/client.ts';
import type { Fleet } from '@trackway/simulator/fleet.ts';
import { identityOf } from '@trackway/simulator/trackers/voices.ts';
import { demoDevices } from './demo-fleet.ts';
import type { DemoSender } from './demo-road.ts';
import { createFences } from './fences.ts';

/** Creates the fences and devices of the demo with the public API. */

export interface MadeDevice extends DemoSender {
  readonly type: string;
}

export async function setUpDemo(client: Client, fleet: Fleet): Promise<MadeDevice[]> {
  await createFences(client, fleet.city);
  const made: MadeDevice[] = [];
  for (const [index, { protocol, ...device }] of demoDevices(fleet).entries()) {
    const tracker = protocol && { ...identityOf(protocol, index), allowKeyless: true };
    const { id, deviceKey } = await client.createDevice({ body: { ...device, tags: [...device.tags], ...tracker } });
    made.push({ id, key: deviceKey, protocol, type: device.type });
  }
  return made;
}

/** Urgent notifications are sent to the webhook of the demo, and nothing is sent to other machines. */
export const toWebhook = { push: false, email: false, http: true };
/** The others appear only under Notifications. */
export const toNobody = { ...toWebhook, http: false };
