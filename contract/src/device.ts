import { Type } from 'typebox';
import { answerOf, count, create, list, operation, read, remove, removeAll, update } from './operation.ts';
import { flag, id, integer, key, list as listOf, noun, number, object, text, time } from './schema.ts';

const fields = {
  id: id(),
  name: text('What its people call it.', { maxLength: 200 }),
  imei: text('Free text, unique on the server where set.', { maxLength: 64 }),
  serial: text('Free text, unique on the server where set.', { maxLength: 64 }),
  iccid: text('Of its SIM card.', { maxLength: 64 }),
  btMac: Type.Union([Type.Integer({ minimum: 0, maximum: 0xffffffffffff }), Type.String({ maxLength: 17 })], {
    description: 'Its bluetooth address, by which gateways hear it, as a number; taken as aa:bb:cc:dd:ee:ff too.',
    'x-kind': 'integer',
  }),
  btMacAddress: text('Its bluetooth address as aa:bb:cc:dd:ee:ff; btMac says the same.', { maxLength: 17 }),
  loraId: Type.Union([Type.Number(), Type.String({ maxLength: 64 })], {
    description: 'Its LoRa id, kept as sent.',
    'x-kind': 'json',
  }),
  type: text('A free grouping value.', { maxLength: 100 }),
  ownerId: key('The user it belongs to.', { readOnly: true }),
  firstSeen: time('When it was first heard; its creation until then.', { readOnly: true }),
  lastConnection: time('When it was last heard.', { readOnly: true }),
  batteryPct: number('Battery as last heard, percent.', { readOnly: true }),
  batteryVoltage: number('Battery as last heard, volts.', { readOnly: true }),
  currentMode: integer('0 awake, 1 asleep, 2 available, 6 flight; as last heard.', { readOnly: true }),
  tags: listOf(Type.String({ maxLength: 100 }), 'Free labels.', { maxItems: 100, 'x-texts': true }),
  color: text('Its colour on the map.', { maxLength: 40 }),
  active: flag('Whether it is in use.', { default: true }),
  expires: time('When its plan ends.', { readOnly: true }),
  allowKeyless: flag(
    'Whether it may report by its serial number or IMEI alone, without its key. For its owner to decide.',
    {
      default: false,
    },
  ),
  meta: object('Whatever else belongs to it.'),
};

export const device = noun('device', fields, { always: ['ownerId', 'firstSeen', 'active', 'allowKeyless'] });

/** The answer to its creation and to a new key: the only times the key is shown. */
const deviceWithKey = noun(
  'device',
  { ...fields, deviceKey: text('The key by which the device reports. Shown this once.', { readOnly: true }) },
  { always: ['ownerId', 'firstSeen', 'active', 'allowKeyless', 'deviceKey'] },
);

export const RIGHTS = ['view', 'manage'] as const;

export const share = noun(
  'share',
  {
    id: id(),
    deviceId: key('The shared device.', { readOnly: true }),
    userId: key('Whom it is shared with; or give their email.'),
    email: text('Whom it is shared with, by e-mail address.', { maxLength: 320 }),
    rights: Type.Enum([...RIGHTS], {
      default: 'view',
      description: 'view: read all of the device. manage: also configuration, messages, own triggers and forwarders.',
    }),
    created: time('When it was shared.', { readOnly: true }),
  },
  { always: ['deviceId', 'userId', 'rights', 'created'] },
);

const shareUpdate = noun(
  'share',
  { rights: Type.Enum([...RIGHTS], { description: 'view or manage.' }), userId: key('Cannot change.') },
  { always: ['rights'] },
);

const access = Type.Object(
  {
    right: Type.Enum(['view', 'manage', 'own'], {
      description: 'What the caller may do with it; each includes those before.',
    }),
    shareId: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The share by which the caller has it, to be ended by them; null for its owner and for admins.',
    }),
    hasKey: Type.Boolean({ description: 'Whether there is a key by which it can report.' }),
  },
  { title: 'device access' },
);

/** What a phone encrypts its reports with. */
const deviceSecret = noun(
  'device secret',
  {
    secret: text('The secret as it stands in the app, at most 32 bytes in UTF-8. Null where none is set.', {
      minLength: 1,
      maxLength: 32,
    }),
  },
  { required: ['secret'] },
);

const devices = '/devices';
const ofUser = '/users/{id}/devices';
const shares = '/devices/{id}/shares';
const shownWithKey = { answer: answerOf(deviceWithKey) };

export const deviceOperations = {
  listDevices: list(device, devices, 'user', { summary: 'List the devices the caller may see' }),
  countDevices: count(device, devices, 'user'),
  listDeletedDevices: list(device, '/devices/deleted', 'admin', {
    summary: 'List the devices deleted in the last 30 days',
  }),
  createDevice: create(deviceWithKey, devices, 'user', {
    summary: 'Create a device; its key is in this answer and nowhere else',
  }),
  getDevice: read(device, '/devices/{id}', 'view'),
  getDeviceAccess: operation('GET', '/devices/{id}/access', 'view', {
    summary: 'What the caller may do with a device',
    answer: access,
  }),
  updateDevice: update(device, '/devices/{id}', 'manage'),
  deleteDevice: remove(device, '/devices/{id}', 'own', {
    description: 'Hidden at once, and its key stops working. An admin can restore it for 30 days.',
  }),
  restoreDevice: operation('POST', '/devices/{id}/restore', 'admin', {
    summary: 'Bring back a deleted device',
    answer: answerOf(device),
  }),
  rotateDeviceKey: operation('POST', '/devices/{id}/key', 'own', {
    summary: 'Give a device a new key; the old one stops working at once',
    ...shownWithKey,
  }),
  revokeDeviceKey: operation('DELETE', '/devices/{id}/key', 'own', {
    summary: 'Revoke the key of a device',
  }),
  getDeviceSecret: operation('GET', '/devices/{id}/secret', 'own', {
    summary: 'The secret with which the device encrypts its reports',
    answer: answerOf(deviceSecret),
  }),
  setDeviceSecret: operation('PUT', '/devices/{id}/secret', 'own', {
    summary: 'Set the secret with which the device encrypts its reports',
    description:
      'OwnTracks: the encryption key in the settings of the app. Encrypted reports that cannot be decrypted are in the quarantine. A device that reports encrypted is answered encrypted.',
    body: { noun: deviceSecret, mode: 'create' },
    answer: answerOf(deviceSecret),
  }),
  removeDeviceSecret: operation('DELETE', '/devices/{id}/secret', 'own', {
    summary: 'Remove the secret with which the device encrypts its reports',
  }),

  listUserDevices: list(device, ofUser, 'self', { summary: 'List the devices of a user, own and shared' }),
  countUserDevices: count(device, ofUser, 'self'),
  createUserDevice: create(deviceWithKey, ofUser, 'self', {
    summary: 'Create a device for a user; its key is in this answer and nowhere else',
  }),

  listShares: list(share, shares, 'own'),
  countShares: count(share, shares, 'own'),
  createShare: create(share, shares, 'own', { summary: 'Share a device with another user' }),
  getShare: read(share, `${shares}/{fk}`, 'own'),
  updateShare: update(shareUpdate, `${shares}/{fk}`, 'own', { answer: answerOf(share) }),
  deleteShare: remove(share, `${shares}/{fk}`, 'view', {
    summary: 'End a share',
    description: 'The owner ends any share, everyone their own.',
  }),
  deleteShares: removeAll(share, shares, 'own'),
};
