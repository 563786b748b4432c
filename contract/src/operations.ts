import { inWords, type Operation } from './operation.ts';
import { accountMailOperations } from './resources/accounts/account-mail.ts';
import { auditOperations } from './resources/accounts/audit-entry.ts';
import { mqttCredentialOperations } from './resources/accounts/mqtt-credentials.ts';
import { passkeyOperations } from './resources/accounts/passkey.ts';
import { personalDataOperations } from './resources/accounts/personal-data.ts';
import { secondFactorOperations } from './resources/accounts/second-factor.ts';
import { serviceAccountOperations } from './resources/accounts/service-account.ts';
import { sessionOperations } from './resources/accounts/session.ts';
import { userOperations } from './resources/accounts/user.ts';
import { firmwareOperations } from './resources/commands/firmware.ts';
import { metaAndTagOperations } from './resources/commands/meta-and-tags.ts';
import { rtkOperations } from './resources/commands/rtk.ts';
import { transientOperations } from './resources/commands/transient.ts';
import { deliveryOperations } from './resources/delivery.ts';
import { deviceOperations } from './resources/device.ts';
import { deviceConfigOperations } from './resources/device-config.ts';
import { activityOperations, fleetOperations, nearbyOperations } from './resources/fleet.ts';
import { fleetReportOperations } from './resources/fleet-report.ts';
import { driverOperations } from './resources/fleet-tools/driver.ts';
import { heatMapOperations } from './resources/fleet-tools/heat-map.ts';
import { historyImportOperations } from './resources/fleet-tools/history-import.ts';
import { maintenanceOperations } from './resources/fleet-tools/maintenance.ts';
import { savedReportOperations } from './resources/fleet-tools/saved-report.ts';
import { savedViewOperations } from './resources/fleet-tools/saved-view.ts';
import { vehicleOperations } from './resources/fleet-tools/vehicle.ts';
import { forwardingOperations } from './resources/forwarding.ts';
import { gatewayReadingOperations } from './resources/gateway-reading.ts';
import { geofenceOperations } from './resources/geofence.ts';
import { geofenceListOperations } from './resources/geofence-list.ts';
import { insideOperations } from './resources/inside.ts';
import { linkOperations } from './resources/link.ts';
import { deviceGroupOperations } from './resources/many/device-group.ts';
import { groupLinkOperations } from './resources/many/group-link.ts';
import { ruleOperations } from './resources/many/rule.ts';
import { messageOperations } from './resources/message.ts';
import { notificationOperations } from './resources/notification.ts';
import { notificationTriggerOperations } from './resources/notification-trigger.ts';
import { planOperations } from './resources/plan.ts';
import { pointOperations } from './resources/point.ts';
import { pushSubscriptionOperations } from './resources/push-subscription.ts';
import { quarantineOperations } from './resources/quarantine.ts';
import { reportOperations } from './resources/report.ts';
import { channelOperations } from './resources/service/channels.ts';
import { healthOperations } from './resources/service/health.ts';
import { infoOperations } from './resources/service/info.ts';
import { mapOperations } from './resources/service/maps.ts';
import { placeNameOperations } from './resources/service/place-name.ts';
import { reachOperations } from './resources/service/reach.ts';
import { retentionOperations } from './resources/service/retention.ts';
import { timelineOperations } from './resources/timeline.ts';
import { trackerOperations } from './resources/tracker.ts';
import { tripOperations } from './resources/trip.ts';
import { geofenceV2Operations } from './resources/v2/geofence-v2.ts';
import { claimOperations, planV2Operations } from './resources/v2/plan-v2.ts';
import { whereaboutsOperations } from './resources/whereabouts.ts';

/** All operations by name. The server, the client, the command line and the reference are generated from this table. */
export const OPERATIONS = {
  ...userOperations,
  ...secondFactorOperations,
  ...passkeyOperations,
  ...serviceAccountOperations,
  ...sessionOperations,
  ...accountMailOperations,
  ...personalDataOperations,
  ...deviceOperations,
  ...metaAndTagOperations,
  ...deviceGroupOperations,
  ...deviceConfigOperations,
  ...firmwareOperations,
  ...gatewayReadingOperations,
  ...pointOperations,
  ...historyImportOperations,
  ...tripOperations,
  ...reportOperations,
  ...fleetReportOperations,
  ...timelineOperations,
  ...notificationTriggerOperations,
  ...ruleOperations,
  ...notificationOperations,
  ...deliveryOperations,
  ...messageOperations,
  ...transientOperations,
  ...rtkOperations,
  ...geofenceOperations,
  ...geofenceV2Operations,
  ...geofenceListOperations,
  ...insideOperations,
  ...forwardingOperations,
  ...mqttCredentialOperations,
  ...pushSubscriptionOperations,
  ...linkOperations,
  ...groupLinkOperations,
  ...savedViewOperations,
  ...savedReportOperations,
  ...maintenanceOperations,
  ...vehicleOperations,
  ...driverOperations,
  ...heatMapOperations,
  ...planOperations,
  ...planV2Operations,
  ...claimOperations,
  ...whereaboutsOperations,
  ...fleetOperations,
  ...activityOperations,
  ...nearbyOperations,
  ...auditOperations,
  ...quarantineOperations,
  ...trackerOperations,
  ...infoOperations,
  ...mapOperations,
  ...reachOperations,
  ...channelOperations,
  ...placeNameOperations,
  ...healthOperations,
  ...retentionOperations,
};

/** The operations by chapter of the reference. */
export const CHAPTERS: Readonly<Record<string, object>> = {
  'Users and tokens': { ...userOperations, ...sessionOperations },
  'Invitations and account e-mail': accountMailOperations,
  'Personal data': personalDataOperations,
  'Second factor and passkeys': { ...secondFactorOperations, ...passkeyOperations },
  'Service accounts': serviceAccountOperations,
  Devices: {
    ...claimOperations,
    ...deviceOperations,
    ...fleetOperations,
    ...metaAndTagOperations,
    ...vehicleOperations,
  },
  'Device groups': deviceGroupOperations,
  'Device configuration': { ...deviceConfigOperations, ...firmwareOperations },
  Readings: { ...gatewayReadingOperations, ...nearbyOperations },
  Positions: { ...pointOperations, ...historyImportOperations },
  'Trips, stops and tracks': tripOperations,
  'Fleet reports': { ...reportOperations, ...fleetReportOperations, ...heatMapOperations },
  Timelines: timelineOperations,
  Triggers: notificationTriggerOperations,
  Rules: ruleOperations,
  Notifications: { ...notificationOperations, ...activityOperations },
  Deliveries: deliveryOperations,
  Messages: messageOperations,
  'Device modes': transientOperations,
  'RTK receivers': rtkOperations,
  Geofences: { ...geofenceOperations, ...insideOperations, ...geofenceV2Operations, ...geofenceListOperations },
  Forwarding: forwardingOperations,
  'MQTT credentials': mqttCredentialOperations,
  'Push subscriptions': pushSubscriptionOperations,
  Links: { ...linkOperations, ...groupLinkOperations },
  'Saved views': savedViewOperations,
  'Saved reports': savedReportOperations,
  Maintenance: maintenanceOperations,
  Drivers: driverOperations,
  Plans: { ...planOperations, ...planV2Operations },
  'Last known positions': whereaboutsOperations,
  'Audit trail': auditOperations,
  Quarantine: quarantineOperations,
  Trackers: trackerOperations,
  Server: {
    ...infoOperations,
    ...mapOperations,
    ...reachOperations,
    ...channelOperations,
    ...placeNameOperations,
    ...healthOperations,
    ...retentionOperations,
  },
};

export type OperationName = keyof typeof OPERATIONS;
export type BodyOf<K extends OperationName> = (typeof OPERATIONS)[K] extends Operation<infer B, unknown> ? B : never;
export type AnswerOf<K extends OperationName> = (typeof OPERATIONS)[K] extends Operation<unknown, infer A> ? A : never;

export type PathOf<K extends OperationName> = (typeof OPERATIONS)[K]['path'];
export type QueryOf<K extends OperationName> = NonNullable<(typeof OPERATIONS)[K]['queryType']>;

/** The names between the braces of a path. */
export type ParametersIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Remaining}`
  ? Name | ParametersIn<Remaining>
  : never;

export const BASES = { v1: '/api', v2: '/v2' } as const;

export function parametersOf(operation: Operation): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
}

/** Whether a path parameter is text: a name, or an identifier of a device. */
export const isTextual = (operation: Operation, parameter: string): boolean =>
  operation.texts?.includes(parameter) === true ||
  (operation.byIdentifier === true && parametersOf(operation)[0] === parameter);

/** A path parameter in words: `fk` of `/devices/{id}/gatewayReadings/{fk}` is a gateway reading's id. */
export function aboutParameter(operation: Operation, parameter: string): string {
  const [, collection = ''] = new RegExp(`(\\w+)/\\{${parameter}\\}`).exec(operation.path) ?? [];
  if (collection === 'users') return 'User id, or `me` for the caller.';
  const words = inWords(collection.replace(/ies$/, 'y').replace(/s$/, ''));
  const thing = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  if (operation.texts?.includes(parameter)) return `${thing}: ${inWords(parameter)}.`;
  if (isTextual(operation, parameter)) return `${thing}: its id, or \`id:…\`, \`imei:…\`, \`serial:…\`.`;
  return `${thing} id.`;
}
