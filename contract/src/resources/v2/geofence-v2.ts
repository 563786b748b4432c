import { type TSchema, type TUnsafe, Type } from 'typebox';
import { answerOf, nothing, operation, page } from '../../operation.ts';
import { pageQuery } from '../../page.ts';
import { id, integer, key, noun, object, type Shown } from '../../schema.ts';
import { fenceFields, fenceThresholds, MAX_RADIUS } from '../geofence.ts';
import { geofenceList } from '../geofence-list.ts';

const { outline, center, radius, type, name, modified, foreignId, deviceId } = fenceFields;
const meta = object(
  'Custom data. The thresholds are accepted here as well, as in version 1, unless their fields are sent.',
);
const listId = key('Id of the list it is on: a list the user sees.');

/** A geofence in requests of version 2. */
export const sentGeofence = noun('geofence', {
  id: id(),
  name,
  type,
  foreignId,
  outline,
  center,
  radius,
  ...fenceThresholds,
  meta,
  deviceId,
  listId,
});

/** A geofence in responses of version 2. It is the same geofence as in version 1. */
export const shownGeofence = noun(
  'geofence',
  {
    id: id(),
    ownerId: key('Id of the user it belongs to.'),
    name,
    type,
    foreignId,
    outline,
    center,
    radius: integer('Radius of the circle in metres, rounded.', { minimum: 1, maximum: MAX_RADIUS }),
    ...fenceThresholds,
    meta,
    modified,
    deviceId,
    listId,
  },
  { always: ['ownerId', 'meta', 'modified'] },
);

export type ShownGeofence = Shown<typeof shownGeofence> & { list?: Shown<typeof geofenceList> | null };
const answer = answerOf(shownGeofence);
const item = Type.Object(
  {
    ...(answer as unknown as { properties: Record<string, TSchema> }).properties,
    list: Type.Optional(
      Type.Union([answerOf(geofenceList), Type.Null()], { description: 'The list it is on, if asked for.' }),
    ),
  },
  { title: 'listed geofence' },
) as TSchema as TUnsafe<ShownGeofence>;

const path = '/users/{userid}/geofences';
const one = `${path}/{fenceid}` as const;
const v2 = { versions: ['v2'] as const };
const { _include } = pageQuery({ sortable: [], includes: ['list'] });
const CIRCLE = { name: 'Depot', center: { lat: 46.5, lng: 11.35 }, radius: 150, foreignId: 'D-1' };
const EXAMPLE = {
  id: 12,
  ownerId: 1,
  type: null,
  outline: null,
  enterConfidence: null,
  exitConfidence: null,
  enterAfter: 60,
  exitAfter: null,
  meta: {},
  modified: false,
  deviceId: null,
  listId: 4,
  ...CIRCLE,
};

export const geofenceV2Operations = {
  listGeofencesV2: page(shownGeofence, path, 'self', {
    summary: 'List the geofences of a user',
    description:
      'Geofences of the user, and geofences on lists that are shared with the user: `ownerId` is their owner.',
    paging: { sortable: ['id', 'name', 'type', 'foreignId', 'listId'], includes: ['list'] },
    item,
    example: { answer: { data: [EXAMPLE], limit: 10, page: 1, totalElements: 1, totalPages: 1 } },
  }),
  createGeofenceV2: operation('PUT', path, 'self', {
    ...v2,
    summary: 'Create a geofence for a user',
    description:
      'Each request creates one. An `Idempotency-Key` makes a repeat safe. A geofence without `outline` and without `center` and `radius` has no effect until it gets a shape.',
    body: { noun: sentGeofence, mode: 'create' },
    answer,
    status: 201,
    example: { body: CIRCLE, answer: EXAMPLE },
  }),
  getGeofenceV2: operation('GET', one, 'self', {
    ...v2,
    summary: 'Get a geofence',
    description: 'A geofence of the user, or one on a list that is shared with the user.',
    query: { _include },
    answer: item,
    example: { answer: EXAMPLE },
  }),
  updateGeofenceV2: operation('PUT', one, 'self', {
    ...v2,
    summary: 'Update a geofence',
    description:
      'Changes only the fields that are sent. `null` clears an optional field. A `radius` equal to the returned one keeps the stored value, which may have a fraction.',
    body: { noun: sentGeofence, mode: 'update' },
    answer,
    example: { body: { name: 'Depot' }, answer: EXAMPLE },
  }),
  deleteGeofenceV2: operation('DELETE', one, 'self', {
    ...v2,
    summary: 'Delete a geofence',
    description: 'Only its owner can delete it.',
  }),
  putGeofenceOnList: operation('PUT', `${one}/list/{listid}`, 'self', {
    ...v2,
    summary: 'Add a geofence to a list',
    description:
      'A geofence of the user, on a list of the user or one shared with the user. A geofence is on one list at most, so it moves.',
    answer: nothing,
  }),
  takeGeofenceOffList: operation('DELETE', `${one}/list`, 'self', {
    ...v2,
    summary: 'Remove a geofence from its list',
    description: 'The owner of the geofence and the owner of the list can do so. 410 if it is on no list.',
    answer: nothing,
  }),
};
