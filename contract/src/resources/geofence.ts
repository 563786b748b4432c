import { count, create, list, read, remove, removeAll, update } from '../operation.ts';
import { flag, id, key, list as listOf, noun, number, object, place, text, time } from '../schema.ts';

export const MAX_VERTICES = 2000;

/** A polygon or a circle on the map. If both are set, the polygon counts. Without a shape, a geofence has no effect. */
export const geofence = noun(
  'geofence',
  {
    id: id(),
    outline: listOf(place('Vertex.'), 'Vertices of the polygon, at least 3. Closing it is optional.', {
      minItems: 3,
      maxItems: MAX_VERTICES,
    }),
    center: place('Centre of the circle.'),
    radius: number('Radius of the circle in metres.', { minimum: 0, maximum: 20_037_508 }),
    type: text(
      'Group, such as `safe`, `prohibited` or `reporting`. Free text. Triggers can refer to it as `zoneGroup`.',
      { maxLength: 100 },
    ),
    name: text('Display name.', { maxLength: 200 }),
    wasInside: flag('Whether the device was inside at the last check.', { readOnly: true, default: false }),
    lastChecked: time('When the device was last checked.', { readOnly: true }),
    modified: flag('Whether it has changed since it was last sent to the device.', { readOnly: true, default: false }),
    meta: object(
      'Custom data. `enterConfidence` and `exitConfidence` (0 to 1) and `enterAfter` and `exitAfter` (seconds) set when a device counts as inside or outside.',
    ),
    foreignId: text('Id of the geofence in your own system.', { maxLength: 200 }),
    deviceId: key('Id of the device it applies to. If not set, it applies to all devices of the user.'),
    configId: key('Id of the device configuration it is the safe zone of.'),
    userId: key('Id of the user it belongs to.', { readOnly: true }),
  },
  { always: ['wasInside', 'modified', 'userId'] },
);

const path = '/users/{id}/geofences';

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
};
