import { Type } from 'typebox';
import { answerOf, nothing, operation, page, read, remove, update } from '../operation.ts';
import { email, id, key, noun, required, text } from '../schema.ts';

const name = text('Display name.', { minLength: 1, maxLength: 200 });
const color = text('Colour, such as `#3366ff`. Free text.', { minLength: 1, maxLength: 40 });

/** A list of geofences that its owner can share with others. */
export const geofenceList = noun(
  'geofenceList',
  { id: id(), name, color, ownerId: key('Id of the user it belongs to.', { readOnly: true }) },
  { required: ['name', 'color'], always: ['name', 'color', 'ownerId'] },
);

const listShare = noun(
  'geofenceListShare',
  { email: email('E-mail address of the person.') },
  { required: ['email'], always: ['email'], sentAs: 'geofence list share' },
);

const sharing = Type.Object(
  {
    sharedBy: Type.Union([Type.String(), Type.Null()], {
      description:
        'E-mail address of the person who shared the list with the user. Null for its owner, and if it is not known.',
    }),
    data: Type.Array(
      Type.Object(
        {
          email: Type.Union([Type.String(), Type.Null()], { description: 'E-mail address it is shared with.' }),
          userId: Type.Union([Type.Integer(), Type.Null()], {
            description: 'Id of the user it is shared with, if it was shared by id.',
          }),
        },
        { title: 'share of a list' },
      ),
      { description: 'The people it is shared with, oldest first.' },
    ),
  },
  { title: 'sharing of a list' },
);

const path = '/users/{userid}/geofenceLists';
const v2 = { versions: ['v2'] as const };
const EXAMPLE = { id: 4, name: 'Depots', color: '#3366ff', ownerId: 1 };

export const geofenceListOperations = {
  listGeofenceLists: page(geofenceList, path, 'self', {
    summary: 'List the geofence lists of a user',
    description: 'Lists of the user and lists shared with the user.',
    paging: { sortable: ['id', 'name', 'color'] },
    example: { answer: { data: [EXAMPLE], limit: 10, page: 1, totalElements: 1, totalPages: 1 } },
  }),
  createGeofenceList: operation('PUT', path, 'self', {
    ...v2,
    summary: 'Create a geofence list',
    description: 'Each request creates one. An `Idempotency-Key` makes a repeat safe.',
    body: { noun: geofenceList, mode: 'create' },
    answer: answerOf(geofenceList),
    status: 201,
    example: { body: { name: 'Depots', color: '#3366ff' }, answer: EXAMPLE },
  }),
  getGeofenceList: read(geofenceList, `${path}/{listid}`, 'self', { ...v2, summary: 'Get a geofence list' }),
  updateGeofenceList: update(geofenceList, `${path}/{listid}`, 'self', {
    ...v2,
    summary: 'Update a geofence list',
    description: 'Changes only the fields that are sent. Only its owner can change it.',
  }),
  deleteGeofenceList: remove(geofenceList, `${path}/{listid}`, 'self', {
    ...v2,
    summary: 'Delete a geofence list, or leave it',
    description:
      'By its owner: the list is deleted, and its geofences stay. By another member: only their own membership ends, and their geofences are removed from the list.',
    answer: nothing,
  }),
  listGeofenceListShares: operation('GET', `${path}/{listid}/share`, 'self', {
    ...v2,
    summary: 'List the people a geofence list is shared with',
    description: 'Its owner sees everyone. Other members see whom they have shared it with.',
    answer: sharing,
    example: { answer: { sharedBy: null, data: [{ email: 'jane@example.com', userId: null }] } },
  }),
  shareGeofenceList: operation('POST', `${path}/{listid}/share`, 'self', {
    ...v2,
    summary: 'Share a geofence list',
    description:
      'Every member can share a list. Members see the list and the geofences on it, and can add their own. The response is the same whether or not an account has the address: membership begins at once for an account with that confirmed address, otherwise when there is one, and the address is notified by mail if mail is set up.',
    body: { noun: listShare, mode: 'create' },
    answer: nothing,
    example: { body: { email: 'jane@example.com' }, answer: {} },
  }),
  unshareGeofenceList: operation('DELETE', `${path}/{listid}/share`, 'self', {
    ...v2,
    summary: 'End the sharing of a geofence list with an address',
    description:
      'The counterpart of sharing with an address. The response is the same whether or not the list was shared with it.',
    query: { email: required(email('E-mail address of the person.')) },
    answer: nothing,
  }),
  addGeofenceListUser: operation('PUT', `${path}/{listid}/user/{targetid}`, 'self', {
    ...v2,
    summary: 'Make a user a member of a geofence list',
    description:
      'Accepts users who share a device with the caller, users whom the caller has shared one with by id, and the owners of geofences and lists that the caller sees; every other id is unknown. Admins may send any id.',
    answer: nothing,
  }),
  removeGeofenceListUser: operation('DELETE', `${path}/{listid}/user/{targetid}`, 'self', {
    ...v2,
    summary: 'End the membership of a user in a geofence list',
    description:
      'The list is hidden from the user at once, and their geofences are removed from it. Its owner cannot be removed. A member by address who has added nothing to the list has no known id: end the sharing with the address instead.',
    answer: nothing,
  }),
};
