import type { Client } from '@trackway/client/client.ts';
import type { DemoSender } from './demo-road.ts';
import { sendReport } from './send-report.ts';
import { toNobody } from './set-up.ts';

/**
 * Creates content for the pages of devices: messages, sensors, plans, forwarders, people; and an alarm to acknowledge.
 */

const MINUTE_MS = 60_000;
const CREW = { name: 'Anna Lindqvist', email: 'anna@example.org', password: 'the other side of town' };
const BEACONS = [
  { sensorDeviceId: 'C4:7C:8D:6A:10:01', type: 'temp', from: 3.4, by: 0.3, rssi: -58 },
  { sensorDeviceId: 'C4:7C:8D:6A:10:02', type: 'humidity', from: 61, by: 2, rssi: -66 },
  // It exceeds the limit of the cold chain once.
  { sensorDeviceId: 'C4:7C:8D:6A:10:03', type: 'temp', from: 6.9, by: 1.2, rssi: -81 },
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
  if (raises) await raiseAlarms(client, url, raises);
}

/** A device reports that it was switched on, then sends an SOS and an implausible position. */
async function raiseAlarms(client: Client, url: string, { id, key }: DemoSender): Promise<void> {
  const switchedOn = { type: 'alarm', name: 'Switched on', parameters: { alarms: ['powerOn'] } };
  await client.createNotificationTrigger({ id, body: { ...switchedOn, delivery: toNobody, muteFor: 0 } });
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

/** Messages to some devices, and their replies. */
async function talk(client: Client, url: string, devices: readonly DemoSender[]): Promise<void> {
  for (const [index, { id, key }] of devices.entries()) {
    await client.createMessage({ id, body: { message: QUESTIONS[index]!, mobileTerminated: true } });
    // The device confirms what it received before it replies.
    const messages = await sendReport(url, key, {});
    await sendReport(url, key, { taken: { messages }, messages: [{ message: ANSWERS[index] }] });
  }
}
const QUESTIONS = [
  'Please take the Ring Road, the bridge is closed.',
  'One more parcel at the market.',
  'Please call me after this stop.',
];
const ANSWERS = ['Understood.', 'On my way, ten minutes.', 'Will do.'];

/** Sensors near a device, received by a gateway over the last half hour. */
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
