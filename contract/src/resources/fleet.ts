import { type Static, Type } from 'typebox';
import { answerOf, nullable, operation, page } from '../operation.ts';
import { dateRange, flag, integer, list, required, type Shown, text, time } from '../schema.ts';
import { shownWith } from '../shown-with.ts';
import { device } from './device.ts';
import { deviceConfig } from './device-config.ts';
import { gatewayReading } from './gateway-reading.ts';
import { notification } from './notification.ts';
import { point } from './point.ts';
import { deviceConfigV2, deviceV2, shownSubscription } from './v2/device-v2.ts';

/** Requests for showing a fleet: devices with their latest positions and events. */

const latestPoints = Type.Array(answerOf(point), {
  description: 'Newest positions with a location, the newest first.',
});

const summary = shownWith(device, 'device summary', {
  latestPoints,
  config: Type.Unsafe<Shown<typeof deviceConfig>>({ ...answerOf(deviceConfig), description: 'The configuration.' }),
  subscription: Type.Unsafe<Static<typeof shownSubscription> | null>({
    ...nullable(shownSubscription),
    description: 'The active subscription, with its plan.',
  }),
});

const inZone = shownWith(device, 'device in zone', {
  latestPoints,
  zones: Type.Array(
    Type.Object(
      {
        id: Type.Integer({ description: 'Id of the geofence.' }),
        name: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Name of the geofence.' }),
        since: Type.String({ format: 'date-time', description: 'Since when the device is known to be inside.' }),
      },
      { title: 'occupied zone' },
    ),
    { description: 'The geofences that the device is inside of.' },
  ),
});

const orNull = (type: string, description: string) => Type.Unsafe<unknown>({ type: [type, 'null'], description });

const nearbyReading = Type.Object(
  {
    value: Type.Unknown({ description: 'Measured value.' }),
    timestamp: Type.Integer({ description: 'When it was measured, in epoch milliseconds.' }),
    rssi: orNull('number', 'Signal strength in dBm.'),
    meta: orNull('object', 'Custom data.'),
    id: Type.Integer({ description: 'Id of the reading.' }),
    datapointId: orNull('integer', 'Id of the position of the gateway at that time.'),
    correlationId: orNull('string', 'Id of the transmission.'),
  },
  { title: 'nearby reading' },
);

const nearby = Type.Object(
  {
    device: Type.Object(
      {
        id: Type.Integer({ description: 'Id of the device. 0 if it is not a device that the caller may view.' }),
        name: orNull('string', 'Name of the device; else the name it broadcast; else `sensorDeviceId`.'),
        btMac: orNull('integer', 'Bluetooth address as a number.'),
        btMacAddress: orNull('string', 'Bluetooth address as `aa:bb:cc:dd:ee:ff`.'),
        serial: orNull('string', 'Serial number.'),
        imei: orNull('string', 'IMEI.'),
        type: orNull('string', 'Device type.'),
        loraId: Type.Unknown({ description: 'LoRa id.' }),
        sensorDeviceId: orNull('string', 'Identifier of the sensed device, as received.'),
      },
      { title: 'nearby device', description: 'The received device.' },
    ),
    readings: Type.Record(Type.String(), nearbyReading, { description: 'The newest reading of each type.' }),
  },
  { title: 'nearby device with readings' },
);

const SORTABLE = [
  ...['id', 'name', 'serial', 'imei', 'iccid', 'type', 'active', 'lastConnection', 'firstSeen', 'expires'],
  'batteryPct',
];
const INCLUDES = [
  ...['vehicle', 'config', 'users', 'knownDevices', 'subscription', 'subscription.plan', 'reseller', 'resellerPlan'],
  'qcEvents',
];
const words = (description: string) => list(Type.String({ maxLength: 400 }), description, { maxItems: 1000 });

export const fleetOperations = {
  getDeviceSummary: operation('GET', '/users/{id}/getDeviceSummary', 'self', {
    summary: "List a user's devices with their newest positions",
    description: 'Owned and shared devices, ordered by id, each with its configuration and active subscription.',
    query: {
      pointCount: integer('Positions for each device.', { minimum: 0, maximum: 100, default: 5 }),
      dateRange: dateRange('Only positions of this range: `[from, to]`, both inclusive. Null means no bound.'),
      hideApprox: flag('Omit approximate positions: by cell, or with an accuracy of more than 500 m.'),
    },
    answer: Type.Array(summary),
  }),
  getDevicesInZone: operation('GET', '/users/{id}/getDevicesInZone', 'self', {
    summary: "List a user's devices inside geofences",
    description:
      'Owned and shared devices, ordered by id, with up to 5 newest positions. `zoneId` or `zoneType` is required. Where nothing was evaluated yet, the newest position decides.',
    query: {
      zoneId: integer('Id of a geofence.', { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      zoneType: text('All geofences of this type. Ignored if `zoneId` is given.'),
      includeApprox: flag('Also devices whose newest position is approximate.'),
    },
    answer: Type.Array(inZone),
  }),
  getDevicesByTag: operation('GET', '/users/{id}/getDevicesByTag', 'self', {
    summary: "List a user's devices with a tag",
    description: 'Owned and shared devices, ordered by id. Case is ignored.',
    query: {
      tag: required(text('Tag as `name:value`. `%` matches any characters, as in `device_type:%`.')),
      fields: list(Type.String(), 'Fields of the devices to return. All if absent.', { maxItems: 1000 }),
    },
    answer: Type.Array(answerOf(device)),
  }),
  listDevicesV2: page(deviceV2, '/devices', 'user', {
    summary: 'List the devices visible to the caller',
    description:
      'Owned and shared devices. For an admin, all devices. All conditions must hold; of a list, one value must. Case is ignored, except in `id`, `imei` and `iccid`.',
    paging: { sortable: SORTABLE, includes: INCLUDES },
    query: {
      name: text('Name. `Hello *`: names that begin so.'),
      tag: text('Tag as `name:value`. `*` matches any characters, as in `device_type:*`.'),
      'config.currentFW': text('Firmware version the device runs.'),
      active: flag('Whether the device is in use.'),
      plate: text('Number plate. `B-*`: all that begin with `B-`.'),
      serial: words('Serial numbers. `ab*`: all that begin with `ab`.'),
      imei: words('IMEIs.'),
      iccid: words('ICCIDs of the SIM card.'),
      id: words('Ids of devices.'),
      type: words('Device types.'),
      user: words(
        'User names or e-mail addresses of owners and of users the device is shared with. `*part*`: all that contain it. Only for devices that the caller owns, and for admins.',
      ),
      reseller: words('Resellers are not supported: no device matches.'),
      _connectedSince: time('Devices that have reported since then.'),
    },
    item: shownWith(deviceV2, 'listed device', {
      config: Type.Optional(
        Type.Unsafe<Shown<typeof deviceConfigV2>>({ ...answerOf(deviceConfigV2), description: 'With `config`.' }),
      ),
      vehicle: Type.Optional(
        Type.Object(
          {
            plate: orNull('string', 'Number plate.'),
            vin: orNull('string', 'Vehicle identification number.'),
            hasPhoto: Type.Boolean({ description: 'Whether there is a photo.' }),
          },
          { title: 'listed vehicle', description: 'With `vehicle`. Its odometer is at `/devices/{id}/vehicle`.' },
        ),
      ),
      users: Type.Optional(
        Type.Array(
          Type.Object(
            {
              id: Type.Integer({ description: 'Id of the user.' }),
              email: Type.String({ description: 'E-mail address.' }),
              hasBillingInfo: Type.Boolean({ description: 'Always false.' }),
            },
            { title: 'device user' },
          ),
          { description: 'With `users`: the owner, then the others. Users other than the owner see only themselves.' },
        ),
      ),
      knownDevices: Type.Optional(
        Type.Array(Type.String(), {
          description: 'With `knownDevices`: Bluetooth addresses received in the last 30 days, at most 1000.',
        }),
      ),
      subscription: Type.Optional(
        Type.Unsafe<Static<typeof shownSubscription> | null>({
          ...nullable(shownSubscription),
          description: 'With `subscription`: the active one. With `subscription.plan`, its plan too.',
        }),
      ),
      reseller: Type.Optional(Type.Null({ description: 'With `reseller`: there is none.' })),
      resellerPlan: Type.Optional(Type.Null({ description: 'With `resellerPlan`: there is none.' })),
      qcEvents: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: 'With `qcEvents`: none are kept.' }),
      ),
    }),
  }),
};

export const activityOperations = {
  getRecentActivity: operation('GET', '/users/{id}/getRecentActivity', 'self', {
    summary: "List a user's notifications in a range of time",
    description:
      'The newest first, at most 10 000, without retracted ones. Where a reading caused the notification, `pointId` is the id of the reading.',
    query: { dateRange: required(dateRange()) },
    answer: Type.Array(answerOf(notification)),
  }),
};

export const nearbyOperations = {
  nearbyDevices: operation('GET', '/devices/{id}/nearbyDevices', 'view', {
    summary: 'List the devices that a gateway received',
    description:
      'The most recently received first, at most 1000, each with its newest reading of each type. Without parameters, the last 24 hours.',
    query: {
      dateRange: dateRange('Only what was received in this range: `[from, to]`, limited to its latest 90 days.'),
      correlationId: text('Only what was received in this transmission.', { maxLength: 200 }),
    },
    answer: Type.Array(nearby),
  }),
  nearbyDeviceData: operation('GET', '/devices/{id}/nearbyDeviceData', 'view', {
    summary: 'List what a gateway received of one device',
    description: 'The newest first, at most 10 000.',
    query: {
      nearbyId: required(text('`sensorDeviceId` of the sensed device, or its id.', { maxLength: 200 })),
      dateRange: required(dateRange('Range of time: `[from, to]`, limited to its latest 90 days.')),
    },
    answer: Type.Array(answerOf(gatewayReading)),
  }),
};
