import type { Client } from '@trackway/client/client.ts';
import type { DemoSender } from './demo-road.ts';
import { sendReport } from './send-report.ts';
import { delivery } from './set-up.ts';

/** Puts something on the pages of devices: messages, sensors, plans, forwarders, people; and an alarm to acknowledge. */

const MINUTE_MS = 60_000;
const CREW = { name: 'Anna Lindqvist', email: 'anna@example.org', password: 'the other side of town' };
const BEACONS = [
  { sensorDeviceId: 'C4:7C:8D:6A:10:01', type: 'temp', from: 3.4, by: 0.3, rssi: -58 },
  { sensorDeviceId: 'C4:7C:8D:6A:10:02', type: 'humidity', from: 61, by: 2, rssi: -66 },
  { sensorDeviceId: 'C4:7C:8D:6A:10:03', type: 'temp', from: 19.5, by: 0.5, rssi: -81 },
] as const;

export async function furnishDemo(
  client: Client,
  url: string,
  devices: readonly DemoSender[],
  hook: string,
  now: number,
): Promise<void> {
  const overHttp = devices.filter(({ protocol }) => protocol === undefined);
  await plans(client, devices.slice(0, 6));
  await talk(client, url, overHttp.slice(0, 3));
  for (const { key } of overHttp.slice(0, 4)) await hear(url, key, now);
  for (const { id } of devices.slice(0, 2))
    await client.createForwarder({ id, body: { kind: 'http', target: hook, types: ['newLoc', 'notification'] } });
  await client.createUser({ body: CREW });
  for (const { id } of devices.slice(0, 2))
    await client.createShare({ id, body: { email: CREW.email, rights: 'view' } });
  const raises = overHttp.at(-1);
  if (raises) await raiseAlarms(client, url, raises, hook);
}

/** Somebody switches a device on, which is good to know; then calls for help, and sends a position that cannot be true. */
async function raiseAlarms(client: Client, url: string, { id, key }: DemoSender, endpoint: string): Promise<void> {
  const switchedOn = { type: 'alarm', name: 'Switched on', parameters: { alarms: ['powerOn'], endpoint } };
  await client.createNotificationTrigger({ id, body: { ...switchedOn, delivery, muteFor: 0 } });
  const timestamp = new Date().toISOString();
  const readings = ['powerOn', 'sos'].map((value) => ({ type: 'alarm', value, timestamp }));
  await sendReport(url, key, { readings, points: [{ timestamp, location: { lat: 99, lng: 5 } }] });
}

async function plans(client: Client, devices: readonly DemoSender[]): Promise<void> {
  const { id: planId } = await client.createPlan({
    body: {
      name: 'city',
      displayName: 'City',
      description: 'A position every ten seconds while the device moves.',
      features: 'Live map, history, geofences',
      days: 30,
      prices: { eur: [[1, 4.9]] },
    },
  });
  await client.createPlan({
    body: { name: 'yard', displayName: 'Yard', description: 'A position once an hour.', days: 365 },
  });
  await client.createPlanCredit({ id: 'me', body: { planId, count: 10 } });
  for (const { id } of devices) await client.setDevicePlan({ id, body: { planId, renews: true } });
}

/** What was said to some devices, and what they answered. */
async function talk(client: Client, url: string, devices: readonly DemoSender[]): Promise<void> {
  for (const [index, { id, key }] of devices.entries()) {
    await client.createMessage({ id, body: { message: QUESTIONS[index]!, mobileTerminated: true } });
    await sendReport(url, key, { messages: [{ message: ANSWERS[index] }] });
  }
}
const QUESTIONS = [
  'Please take the Ring Road, the bridge is closed.',
  'One more parcel at the market.',
  'Call the office.',
];
const ANSWERS = ['Understood.', 'On my way, ten minutes.', 'Will do after this stop.'];

/** Sensors near a device, as a gateway hears them, over the last half hour. */
async function hear(url: string, key: string, now: number): Promise<void> {
  const readings = BEACONS.flatMap(({ sensorDeviceId, type, from, by, rssi }) =>
    Array.from({ length: 15 }, (_, step) => ({
      type,
      value: Math.round((from + by * Math.sin(step / 2)) * 10) / 10,
      sensorDeviceId,
      rssi: rssi - (step % 4),
      timestamp: new Date(now - (30 - 2 * step) * MINUTE_MS).toISOString(),
    })),
  );
  await sendReport(url, key, { readings });
}
