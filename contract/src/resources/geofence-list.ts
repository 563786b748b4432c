import { Type } from 'typebox';
import { answerOf, nothing, operation, page, read, remove, update } from '../operation.ts';
import { email, id, key, noun, required, text } from '../schema.ts';

const name = text('Display name.', { minLength: 1, maxLength: 200 });
const color = text('Color, such as `#3366ff`. Free text.', { minLength: 1, maxLength: 40 });

/** Geofences that belong together, which their owner can share with others. */
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
        'E-mail address of who shared the list with the user. Null for its owner, and where it is not known.',
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
      { description: 'With whom it is shared, oldest first.' },
    ),
  },
  { title: 'sharing of a list' },
);

const path = '/users/{userid}/geofenceLists';
const v2 = { versions: ['v2'] as const };
const EXAMPLE = { id: 4, name: 'Depots', color: '#3366ff', ownerId: 1 };

export const geofenceListOperations = {
  listGeofenceLists: page(geofenceList, path, 'self', {
    summary: 'List the lists of geofences of a user',
    description: 'Own lists and those shared with the user.',
    paging: { sortable: ['id', 'name', 'color'] },
    example: { answer: { data: [EXAMPLE], limit: 10, page: 1, totalElements: 1, totalPages: 1 } },
  }),
  createGeofenceList: operation('PUT', path, 'self', {
    ...v2,
    summary: 'Create a list of geofences',
    description: 'Each request creates one. An `Idempotency-Key` makes a repeat safe.',
    body: { noun: geofenceList, mode: 'create' },
    answer: answerOf(geofenceList),
    status: 201,
    example: { body: { name: 'Depots', color: '#3366ff' }, answer: EXAMPLE },
  }),
  getGeofenceList: read(geofenceList, `${path}/{listid}`, 'self', { ...v2, summary: 'Get a list of geofences' }),
  updateGeofenceList: update(geofenceList, `${path}/{listid}`, 'self', {
    ...v2,
    summary: 'Update a list of geofences',
    description: 'Changes only the fields that are sent. Only its owner can change it.',
  }),
  deleteGeofenceList: remove(geofenceList, `${path}/{listid}`, 'self', {
    ...v2,
    summary: 'Delete a list of geofences, or leave it',
    description:
      'By its owner: the list is deleted, and its geofences stay. By another member: only their own membership ends, and their geofences are taken off the list.',
    answer: nothing,
  }),
  listGeofenceListShares: operation('GET', `${path}/{listid}/share`, 'self', {
    ...v2,
    summary: 'List with whom a list of geofences is shared',
    description: 'Its owner sees everyone. Other members see whom they have shared it with.',
    answer: sharing,
    example: { answer: { sharedBy: null, data: [{ email: 'jane@example.com', userId: null }] } },
  }),
  shareGeofenceList: operation('POST', `${path}/{listid}/share`, 'self', {
    ...v2,
    summary: 'Share a list of geofences',
    description:
      'Every member can share a list. Members see the list and the geofences on it, and can put their own on it. The response is the same whether or not an account has the address: membership begins at once for an account with that confirmed address, otherwise when there is one, and the address is told by mail if mail is set up.',
    body: { noun: listShare, mode: 'create' },
    answer: nothing,
    example: { body: { email: 'jane@example.com' }, answer: {} },
  }),
  unshareGeofenceList: operation('DELETE', `${path}/{listid}/share`, 'self', {
    ...v2,
    summary: 'End the sharing of a list of geofences with an address',
    description:
      'The counterpart of sharing with an address. The response is the same whether or not the list was shared with it.',
    query: { email: required(email('E-mail address of the person.')) },
    answer: nothing,
  }),
  addGeofenceListUser: operation('PUT', `${path}/{listid}/user/{targetid}`, 'self', {
    ...v2,
    summary: 'Make a user a member of a list of geofences',
    description:
      'Known are users who share a device with the caller, or whom the caller has shared one with by id, and the owners of geofences and lists that the caller sees; every other id is unknown. Admins may send any id.',
    answer: nothing,
  }),
  removeGeofenceListUser: operation('DELETE', `${path}/{listid}/user/{targetid}`, 'self', {
    ...v2,
    summary: 'End the membership of a user in a list of geofences',
    description:
      'The list is hidden from the user at once, and their geofences are taken off it. Its owner cannot be removed. Whoever became a member by an address and has put nothing on the list is not known by their id: end the sharing with the address instead.',
    answer: nothing,
  }),
};
