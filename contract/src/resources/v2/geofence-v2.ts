import { type TSchema, type TUnsafe, Type } from 'typebox';
import { answerOf, nothing, operation, page } from '../../operation.ts';
import { pageQuery } from '../../page.ts';
import { id, integer, key, noun, type Shown } from '../../schema.ts';
import { fenceFields, MAX_RADIUS } from '../geofence.ts';
import { geofenceList } from '../geofence-list.ts';

const { outline, center, radius, type, name, modified, meta, foreignId, deviceId } = fenceFields;
const listId = key('Id of the list it is on: a list the user sees.');

/** A geofence as version 2 takes it. */
export const sentGeofence = noun('geofence', {
  id: id(),
  name,
  type,
  foreignId,
  outline,
  center,
  radius,
  meta,
  deviceId,
  listId,
});

/** A geofence as version 2 shows it. It is the same geofence as in version 1. */
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
  meta: {},
  modified: false,
  deviceId: null,
  listId: 4,
  ...CIRCLE,
};

export const geofenceV2Operations = {
  listGeofencesV2: page(shownGeofence, path, 'self', {
    summary: 'List the geofences of a user',
    description: 'Own geofences, and those on lists that are shared with the user: `ownerId` tells whose they are.',
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
    example: { body: { ...CIRCLE, listId: 4 }, answer: EXAMPLE },
  }),
  getGeofenceV2: operation('GET', one, 'self', {
    ...v2,
    summary: 'Get a geofence',
    description: 'An own geofence, or one on a list that is shared with the user.',
    query: { _include },
    answer: item,
    example: { answer: EXAMPLE },
  }),
  updateGeofenceV2: operation('PUT', one, 'self', {
    ...v2,
    summary: 'Update a geofence',
    description:
      'Changes only the fields that are sent. `null` clears an optional field. A `radius` that is sent as it was shown leaves the stored one, which may have a fraction.',
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
    summary: 'Put a geofence on a list',
    description: 'An own geofence, on an own list or one shared with the user. It is on one list at most, so it moves.',
    answer: nothing,
  }),
  takeGeofenceOffList: operation('DELETE', `${one}/list`, 'self', {
    ...v2,
    summary: 'Take a geofence off its list',
    description: 'The owner of the geofence and the owner of the list can do so. 410 if it is on no list.',
    answer: nothing,
  }),
};
