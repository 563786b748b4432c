import { count, create, list, read, remove, removeAll, update } from './operation.ts';
import { flag, id, key, list as listOf, noun, number, object, place, text, time } from './schema.ts';

export const MAX_VERTICES = 2000;

/** A zone: an outline, or a centre and a radius; the outline wins where both are there. Inert while it has neither. */
export const geofence = noun(
  'geofence',
  {
    id: id(),
    outline: listOf(place('A vertex.'), 'At least 3 vertices, closed or not.', { minItems: 3, maxItems: MAX_VERTICES }),
    center: place('Centre of the circle.'),
    radius: number('Of the circle, in metres.', { minimum: 0, maximum: 20_037_508 }),
    type: text('A free grouping value: safe, prohibited, reporting, …', { maxLength: 100 }),
    name: text('What its people call it.', { maxLength: 200 }),
    wasInside: flag('Whether its device was inside when last checked.', { readOnly: true, default: false }),
    lastChecked: time('When its device was last checked against it.', { readOnly: true }),
    modified: flag('Whether it changed since it was last sent to its device.', { readOnly: true, default: false }),
    meta: object(
      'Whatever else belongs to it; enterConfidence, exitConfidence, enterAfter and exitAfter tune its edge.',
    ),
    foreignId: text("The caller's own key.", { maxLength: 200 }),
    deviceId: key('The one device it is for; every device of its user where unset.'),
    configId: key('The configuration whose safe zone it is.'),
    userId: key('The user it belongs to.', { readOnly: true }),
  },
  { always: ['wasInside', 'modified', 'userId'] },
);

const path = '/users/{id}/geofences';

export const geofenceOperations = {
  listGeofences: list(geofence, path, 'self', { summary: 'List the geofences of a user' }),
  countGeofences: count(geofence, path, 'self'),
  createGeofence: create(geofence, path, 'self', { summary: 'Create a geofence for a user' }),
  getGeofence: read(geofence, `${path}/{fk}`, 'self'),
  updateGeofence: update(geofence, `${path}/{fk}`, 'self'),
  deleteGeofence: remove(geofence, `${path}/{fk}`, 'self'),
  deleteGeofences: removeAll(geofence, path, 'self'),
};
