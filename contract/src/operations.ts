import { deliveryOperations } from './delivery.ts';
import { deviceOperations } from './device.ts';
import { deviceConfigOperations } from './device-config.ts';
import { forwardingOperations } from './forwarding.ts';
import { gatewayReadingOperations } from './gateway-reading.ts';
import { geofenceOperations } from './geofence.ts';
import { healthOperations } from './health.ts';
import { infoOperations } from './info.ts';
import { insideOperations } from './inside.ts';
import { messageOperations } from './message.ts';
import { notificationOperations } from './notification.ts';
import { notificationTriggerOperations } from './notification-trigger.ts';
import type { Operation } from './operation.ts';
import { planOperations } from './plan.ts';
import { pointOperations } from './point.ts';
import { pushSubscriptionOperations } from './push-subscription.ts';
import { tripOperations } from './trip.ts';
import { userOperations } from './user.ts';
import { whereaboutsOperations } from './whereabouts.ts';

/** Everything the API can do, by name. Server, client, command line and reference all follow from this table. */
export const OPERATIONS = {
  ...userOperations,
  ...deviceOperations,
  ...deviceConfigOperations,
  ...gatewayReadingOperations,
  ...pointOperations,
  ...tripOperations,
  ...notificationTriggerOperations,
  ...notificationOperations,
  ...deliveryOperations,
  ...messageOperations,
  ...geofenceOperations,
  ...insideOperations,
  ...forwardingOperations,
  ...pushSubscriptionOperations,
  ...planOperations,
  ...whereaboutsOperations,
  ...infoOperations,
  ...healthOperations,
};

/** The same, in the chapters of the reference. */
export const CHAPTERS: Readonly<Record<string, object>> = {
  'Users and tokens': userOperations,
  Devices: deviceOperations,
  'Device configuration': deviceConfigOperations,
  Readings: gatewayReadingOperations,
  Points: pointOperations,
  'Trips and tracks': tripOperations,
  Triggers: notificationTriggerOperations,
  Notifications: notificationOperations,
  Deliveries: deliveryOperations,
  Messages: messageOperations,
  Geofences: { ...geofenceOperations, ...insideOperations },
  Forwarding: forwardingOperations,
  'Push subscriptions': pushSubscriptionOperations,
  Plans: planOperations,
  Whereabouts: whereaboutsOperations,
  'This server': { ...infoOperations, ...healthOperations },
};

export type OperationName = keyof typeof OPERATIONS;
export type BodyOf<K extends OperationName> = (typeof OPERATIONS)[K] extends Operation<infer B, unknown> ? B : never;
export type AnswerOf<K extends OperationName> = (typeof OPERATIONS)[K] extends Operation<unknown, infer A> ? A : never;

export type PathOf<K extends OperationName> = (typeof OPERATIONS)[K]['path'];
export type QueryOf<K extends OperationName> = NonNullable<(typeof OPERATIONS)[K]['queryType']>;

export const BASES = { v1: '/api', v2: '/v2' } as const;

export function parametersOf(operation: Operation): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
}
