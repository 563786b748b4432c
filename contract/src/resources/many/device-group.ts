import { Type } from 'typebox';
import { answerOf, count, create, list, operation, read, remove, update } from '../../operation.ts';
import { email, flag, id, integer, key, list as listField, noun, text, time } from '../../schema.ts';
import { RIGHTS } from '../device.ts';

/** A group of devices of one owner. Groups form trees; a device can be in several. */
export const deviceGroup = noun(
  'deviceGroup',
  {
    id: id(),
    name: text('Display name.', { minLength: 1, maxLength: 200 }),
    parentId: key('Id of the group it is in. Null at the top level, and if the caller does not see the parent group.'),
    ownerId: key('Id of the user it belongs to.', { readOnly: true }),
    right: Type.Enum(['view', 'manage', 'own'], {
      readOnly: true,
      title: 'device right',
      description: 'Right of the user on the group and its devices.',
    }),
    deviceCount: integer('Number of devices in the group itself, without its subgroups.', { readOnly: true }),
    created: time('When it was created.', { readOnly: true }),
  },
  { required: ['name'], always: ['name', 'ownerId', 'right', 'deviceCount', 'created'] },
);

const chosen = noun(
  'devices of a group',
  { ids: listField(key('Id of a device.'), 'Ids of the devices.', { minItems: 1, maxItems: 1000 }) },
  { required: ['ids'], sentAs: 'chosen devices' },
);

export const deviceGroupShare = noun(
  'deviceGroupShare',
  {
    id: id(),
    groupId: key('Id of the shared group.', { readOnly: true }),
    userId: key('Id of the user the group is shared with. Null if it was shared with an address.'),
    email: email('E-mail address the group is shared with.'),
    rights: Type.Enum([...RIGHTS], {
      title: 'share right',
      default: 'view',
      description: 'Right on every device in the group and its subgroups: `view` or `manage`.',
    }),
    created: time('When the share was created.', { readOnly: true }),
  },
  { always: ['groupId', 'rights', 'created'] },
);

const shareUpdate = noun(
  'deviceGroupShare',
  {
    rights: Type.Enum([...RIGHTS], { title: 'share right', description: '`view` or `manage`.' }),
    userId: key('Cannot be changed.'),
  },
  { always: ['rights'] },
);

const memberIds = Type.Object(
  {
    deviceIds: Type.Array(Type.Integer(), { description: 'Ids of the devices, in ascending order.' }),
  },
  { title: 'devices in a group' },
);

export const groupMember = noun(
  'group member',
  {
    groupId: key('Id of the group.', { readOnly: true }),
    deviceId: key('Id of the device.', { readOnly: true }),
  },
  { always: ['groupId', 'deviceId'] },
);

const path = '/users/{id}/groups';
const one = `${path}/{fk}` as const;
const shares = `${one}/shares` as const;

export const deviceGroupOperations = {
  listDeviceGroups: list(deviceGroup, path, 'self', {
    description: 'Groups of the user and groups shared with the user, with all subgroups.',
  }),
  countDeviceGroups: count(deviceGroup, path, 'self'),
  createDeviceGroup: create(deviceGroup, path, 'self', {
    description: 'At most 1000 groups for each user, and at most 8 levels.',
  }),
  getDeviceGroup: read(deviceGroup, one, 'self'),
  updateDeviceGroup: update(deviceGroup, one, 'self', {
    description:
      'Changes only the fields that are sent. A new `parentId` moves the group with its subgroups; `null` moves it to the top level. Rules and shares of the parent groups apply immediately. Only its owner can change it.',
  }),
  deleteDeviceGroup: remove(deviceGroup, one, 'self', {
    summary: 'Delete a device group, or leave it',
    description:
      'By its owner: the group and its subgroups are deleted, and their shares end. The devices stay. It can be restored for 30 days. By a user it is shared with: only their own share ends.',
  }),
  restoreDeviceGroup: operation('POST', `${one}/restore`, 'self', {
    summary: 'Restore a deleted device group',
    description:
      'With the groups that were deleted with it, their devices and their shares. It returns to its parent group, or to the top level if that was deleted.',
    answer: answerOf(deviceGroup),
  }),
  listDeviceGroupDevices: operation('GET', `${one}/devices`, 'self', {
    summary: 'List the devices of a device group',
    query: { below: flag('Whether devices of subgroups are included. Default: true.') },
    answer: memberIds,
    example: { answer: { deviceIds: [7, 8] } },
  }),
  listGroupMembers: operation('GET', '/users/{id}/groupMembers', 'self', {
    summary: 'List the devices of device groups',
    description: 'Of all groups that the user sees, without their subgroups; ordered by group and device.',
    answer: Type.Array(answerOf(groupMember)),
  }),
  addDeviceGroupDevices: operation('POST', `${one}/addDevices`, 'self', {
    summary: 'Add devices to a device group',
    description:
      'Devices of the owner of the group. Devices that are already in it are kept. At most 20000 devices in one group.',
    body: { noun: chosen, mode: 'create' },
    answer: answerOf(deviceGroup),
  }),
  removeDeviceGroupDevices: operation('POST', `${one}/removeDevices`, 'self', {
    summary: 'Remove devices from a device group',
    description: 'The devices themselves are kept. Devices that are not in the group are ignored.',
    body: { noun: chosen, mode: 'create' },
    answer: answerOf(deviceGroup),
  }),
  listDeviceGroupShares: list(deviceGroupShare, shares, 'self', {
    summary: 'List the shares of a device group',
    description: 'For its owner.',
  }),
  createDeviceGroupShare: create(deviceGroupShare, shares, 'self', {
    summary: 'Share a device group with another user',
    description:
      'Gives the right on every device in the group and its subgroups, including devices that are added later. As with a share of a device, the response is the same whether or not an account has the address.',
  }),
  updateDeviceGroupShare: update(shareUpdate, `${shares}/{shareid}`, 'self', {
    summary: 'Change a share of a device group',
    description:
      'Reducing the rights to `view` deletes the triggers and forwarders of that user on the devices, unless other shares cover them.',
    answer: answerOf(deviceGroupShare),
  }),
  deleteDeviceGroupShare: remove(deviceGroupShare, `${shares}/{shareid}`, 'self', {
    summary: 'End a share of a device group',
    description:
      'By the owner of the group. The triggers, forwarders and live streams of that user on the devices end too, unless other shares cover them.',
  }),
};
