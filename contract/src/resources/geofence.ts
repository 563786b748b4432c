import type { TSchema, TUnsafe } from 'typebox';
import { answerOf, count, create, list, nullable, operation, read, remove, removeAll, update } from '../operation.ts';
import { flag, id, key, list as listOf, noun, number, object, place, type Shown, text, time } from '../schema.ts';

export const MAX_VERTICES = 2000;
export const MAX_RADIUS = 20_037_508;

/** Fields that are the same in both versions. */
export const fenceFields = {
  outline: listOf(place('Vertex.'), 'Vertices of the polygon, at least 3. Closing it is optional.', {
    minItems: 3,
    maxItems: MAX_VERTICES,
  }),
  center: place('Centre of the circle.'),
  radius: number('Radius of the circle in metres.', { minimum: 0, maximum: MAX_RADIUS }),
  type: text(
    'Category, such as `safe`, `prohibited` or `reporting`. Free text. Triggers can refer to it as `zoneGroup`.',
    {
      maxLength: 100,
    },
  ),
  name: text('Display name.', { maxLength: 200 }),
  modified: flag('Whether it has changed since it was last sent to the device.', { readOnly: true, default: false }),
  foreignId: text('Id of the geofence in your own system.', { maxLength: 200 }),
  deviceId: key('Id of the device it applies to. If not set, it applies to all devices of the user.'),
};

const MAX_WAIT_S = 31_536_000;
const confidence = (description: string) => number(description, { exclusiveMinimum: 0, exclusiveMaximum: 1 });
const seconds = (description: string) => number(description, { minimum: 0, maximum: MAX_WAIT_S });

/** When a device counts as inside or outside: fields of version 2, which version 1 has in `meta`. */
export const fenceThresholds = {
  enterConfidence: confidence(
    'Minimum confidence for a device to count as inside, greater than `exitConfidence`. 0.7 if not set.',
  ),
  exitConfidence: confidence('Maximum confidence for a device to count as outside. 0.3 if not set.'),
  enterAfter: seconds('How long a device must be inside before it counts as an entry, in seconds. 0 if not set.'),
  exitAfter: seconds('How long a device must be outside before it counts as an exit, in seconds. 0 if not set.'),
};

const { outline, center, radius, type, name, modified, foreignId, deviceId } = fenceFields;

/**
 * A polygon or a circle on the map. If both are set, the polygon is used. Without a shape, a geofence has no effect.
 */
export const geofence = noun(
  'geofence',
  {
    id: id(),
    outline,
    center,
    radius,
    type,
    name,
    wasInside: flag('Whether the device was inside at the last check.', { readOnly: true, default: false }),
    lastChecked: time('When the device was last checked.', { readOnly: true }),
    modified,
    meta: object(
      'Custom data. `enterConfidence` and `exitConfidence` (0 to 1) and `enterAfter` and `exitAfter` (seconds) set when a device counts as inside or outside.',
    ),
    foreignId,
    deviceId,
    configId: key(
      'Id of the device configuration it is the safe zone of: setting it makes it the safe zone, clearing it removes the safe zone. Requires the right to manage the device.',
    ),
    userId: key('Id of the user it belongs to.', { readOnly: true }),
  },
  { always: ['wasInside', 'modified', 'userId'] },
);

/** The area that a device must stay in. */
const safeZone = noun(
  'safeZone',
  {
    data: listOf(place('Vertex.'), 'Vertices of the polygon, at least 3. An empty list removes the safe zone.', {
      not: { minItems: 1, maxItems: 2 },
      maxItems: MAX_VERTICES,
    }),
  },
  { required: ['data'], sentAs: 'safe zone' },
);

const path = '/users/{id}/geofences';
const EXAMPLE = {
  id: 12,
  outline: null,
  center: null,
  radius: null,
  type: 'safe',
  name: 'Safe zone of Van',
  wasInside: true,
  lastChecked: '2026-06-01T12:00:00.000Z',
  modified: false,
  meta: null,
  foreignId: null,
  deviceId: 7,
  configId: 7,
  userId: 1,
};
const square = [
  { lat: 46.49, lng: 11.34 },
  { lat: 46.49, lng: 11.36 },
  { lat: 46.51, lng: 11.36 },
];

export const geofenceOperations = {
  listGeofences: list(geofence, path, 'self', { summary: 'List the geofences of a user' }),
  countGeofences: count(geofence, path, 'self'),
  createGeofence: create(geofence, path, 'self', {
    summary: 'Create a geofence for a user',
    description: 'A geofence without `outline` and without `center` and `radius` has no effect until it gets a shape.',
  }),
  getGeofence: read(geofence, `${path}/{fk}`, 'self'),
  updateGeofence: update(geofence, `${path}/{fk}`, 'self'),
  deleteGeofence: remove(geofence, `${path}/{fk}`, 'self'),
  deleteGeofences: removeAll(geofence, path, 'self'),

  setSafeZone: operation('POST', '/devices/{id}/setSafeZone', 'manage', {
    summary: 'Set the safe zone of a device',
    description:
      'Send the vertices as a JSON array, or as `data` of an object or a form. The zone is a geofence of the owner of the device, which gets it with the response to its next report. The polygon replaces the polygon of the safe zone made for this device; any other geofence stays unchanged, and a new one is created. An empty list removes the safe zone; the response is then `null`.',
    body: { noun: safeZone, mode: 'create', list: 'data' },
    answer: nullable(answerOf(geofence)) as TSchema as TUnsafe<Shown<typeof geofence> | null>,
    example: { body: square, answer: { ...EXAMPLE, outline: square } },
  }),
  getSafeZone: operation('GET', '/devices/{id}/getSafeZone', 'view', {
    summary: 'Get the safe zone of a device',
    description:
      'The geofence that `safeZoneId` of the configuration names. 404 if there is none. `wasInside` and `lastChecked` were determined by the service, not by the device.',
    answer: answerOf(geofence),
    example: { answer: { ...EXAMPLE, outline: square } },
  }),
};
