import { deviceAccess } from '../domain/devices/access.ts';
import { geofenceOperations } from '../domain/geofences/operations.ts';
import type { Store } from '../domain/schema/tables.ts';
import { triggerOperations } from '../domain/triggers/operations.ts';
import type { Report } from '../reports.ts';
import { callOf, makeDevice, makeUser, NOW } from './people.ts';

/** A device with a depot, and triggers on everything that tests of time and order check. */

const MINUTE_MS = 60_000;
const METRE_DEG = 1 / 111_195;

const TRIGGERS = [
  { type: 'geofence' },
  { type: 'speed', parameters: { limit: 45, for: 60 } },
  { type: 'motionStart' },
  { type: 'motionStop' },
];

export const at = (minute: number) => NOW + minute * MINUTE_MS;

export async function watchedDevice(
  store: Store,
  { triggers = TRIGGERS, fence = {} }: { triggers?: readonly object[]; fence?: object } = {},
): Promise<number> {
  const owner = await makeUser(store, 'owner@example.com');
  const access = deviceAccess(store);
  const depot = { name: 'Depot', center: { lat: 0, lng: 0 }, radius: 150, ...fence };
  await geofenceOperations(store, access).createGeofence(callOf(owner, { body: depot }));
  const deviceId = await makeDevice(store, owner.userId, { name: 'Van' });
  for (const trigger of triggers) {
    const body = { parameters: {}, delivery: {}, muteFor: 0, ...trigger };
    await triggerOperations(store, access, () => undefined).createNotificationTrigger(
      callOf(owner, { deviceId, body }),
    );
  }
  return deviceId;
}

/** The device's report at some minutes of a day: it is parked, drives off, is parked far away and drives home. */
export const reportAt = (...minutes: readonly number[]): Report => ({
  points: minutes.map((minute) => ({
    timestamp: at(minute),
    location: { lat: metresAt(minute) * METRE_DEG, lng: 0 },
    speedKmh: isDriving(minute) ? 50 : 0,
    accuracyM: 8,
  })),
  readings: [],
  gatewayReadings: [],
  messages: [],
});

const METRES_PER_MINUTE = 833;
const isDriving = (minute: number) => (minute >= 10 && minute < 40) || (minute >= 60 && minute < 90);

function metresAt(minute: number): number {
  const out = Math.min(Math.max(minute - 10, 0), 30);
  const back = Math.min(Math.max(minute - 60, 0), 30);
  return (out - back) * METRES_PER_MINUTE;
}

/** The minutes from one to another, both included, at a step. */
export function minutes(from: number, to: number, step = 1): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}
