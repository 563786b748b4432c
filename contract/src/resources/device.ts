import { Type } from 'typebox';
import {
  answerOf,
  count,
  create,
  type Filter,
  list,
  type Operation,
  operation,
  read,
  remove,
  removeAll,
  update,
} from '../operation.ts';
import {
  email,
  flag,
  id,
  integer,
  key,
  list as listOf,
  noun,
  number,
  object,
  type Shown,
  text,
  time,
} from '../schema.ts';

export const CLAIMABLE = ['no', 'yes', 'keepHistory'] as const;

/** A Bluetooth address as people write it. Empty: none. */
const MAC = /^([0-9A-Fa-f]{2}([:-]?[0-9A-Fa-f]{2}){5})?$/;

const fields = {
  id: id(),
  name: text('Display name.', { maxLength: 200 }),
  imei: text('IMEI. Free text, unique on this server.', { maxLength: 64 }),
  serial: text('Serial number. Free text, unique on this server.', { maxLength: 64 }),
  iccid: text('ICCID of the SIM card.', { maxLength: 64 }),
  btMac: Type.Union(
    [Type.Integer({ minimum: 0, maximum: 0xffffffffffff }), Type.String({ maxLength: 17, pattern: MAC.source })],
    {
      description:
        'Bluetooth address as a number. Gateways report the device by it. `aa:bb:cc:dd:ee:ff` is accepted too.',
      'x-kind': 'integer',
    },
  ),
  btMacAddress: text('Bluetooth address as `aa:bb:cc:dd:ee:ff`. Same value as btMac.', {
    maxLength: 17,
    'x-pattern': MAC.source,
  }),
  loraId: Type.Union([Type.Number(), Type.String({ maxLength: 64 })], {
    description: 'LoRa id, stored as sent.',
    'x-kind': 'json',
  }),
  type: text('Device type. Free text.', { maxLength: 100 }),
  ownerId: key('Id of the user who owns the device.', { readOnly: true }),
  firstSeen: time('When the device first reported. Until then, when it was created.', { readOnly: true }),
  lastConnection: time('When the device last reported.', { readOnly: true }),
  batteryPct: number('Last reported battery level in percent.', { readOnly: true }),
  batteryVoltage: number('Last reported battery voltage in volts.', { readOnly: true }),
  currentMode: integer('Last reported mode: 0 awake, 1 asleep, 2 available, 6 flight.', { readOnly: true }),
  tags: listOf(Type.String({ maxLength: 100 }), 'Labels, `name:value` or `name`. One value for a name: the last one.', {
    maxItems: 100,
    'x-texts': true,
  }),
  color: text('Colour on the map.', { maxLength: 40 }),
  active: flag(
    'Whether the device is in use. Reports of an inactive one are refused, and its triggers do not fire. Only the owner or an admin can change this.',
    { default: true },
  ),
  expires: time('When the plan of the device expires.', { readOnly: true }),
  allowKeyless: flag(
    'Whether the device may report with its serial number or IMEI alone, without its key. Only the owner or an admin can change this.',
    {
      default: false,
    },
  ),
  supportedCommands: listOf(
    Type.String(),
    'Commands that can be sent to the device, by the protocol it last spoke. Null until it has spoken one.',
    { readOnly: true, 'x-texts': true },
  ),
  meta: object(
    'Custom data. `timeZone`, such as `+08:00` or `Asia/Shanghai`, is that of the clock of a tracker that does not count in UTC. `place`, such as `{"lat": 50.1, "lng": 8.6, "accuracy": 5}`, is where a gateway is fixed.',
  ),
  imsi: text('IMSI of the SIM card.', { maxLength: 64 }),
  uwbId: Type.Integer({ minimum: 0, maximum: 0xffffffff, description: 'Ultra-wideband id.' }),
  mode: text('Mode of use. Free text.', { maxLength: 40, default: 'default' }),
  batteryType: text('Type of the battery. Free text.', { maxLength: 40, default: 'LIO' }),
  simstate: text('State of the SIM card. Free text.', { maxLength: 40, default: 'active' }),
  simType: text('Type of the SIM card. Free text.', { maxLength: 40 }),
  deepSleep: flag('Whether the device sleeps deeply.', { default: false }),
  saveToWeb: flag('Whether the device stores its data on the web.', { default: false }),
  btPasskey: Type.Integer({
    minimum: 0,
    maximum: 999_999,
    description: 'Bluetooth passkey. Null for users who may only view the device.',
  }),
  subscriptionType: text('SKU of the active plan, or its name if it has none.', { readOnly: true }),
  onoWhitelistId: integer('Whitelist id of the active plan.', { readOnly: true }),
  siloId: integer('Always null.', { readOnly: true }),
  resellerId: integer('Always null.', { readOnly: true }),
  resellerPlanId: integer('Always null.', { readOnly: true }),
  stripeSubscription: text('Always null.', { readOnly: true }),
  claimable: Type.Enum([...CLAIMABLE], {
    title: 'claimable',
    default: 'no',
    description:
      'Whether another user can claim the device by its serial number. `keepHistory`: what was recorded before stays visible. Only admins can change this.',
  }),
  keepDays: integer(
    'Days for which positions, readings and notifications of the device are stored, if fewer than the server or the plan says. Trips and stops stay. Null: as the server says. Only the owner or an admin can change this.',
    { minimum: 1, maximum: 36_500 },
  ),
};

const always = [
  'ownerId',
  'firstSeen',
  'active',
  'allowKeyless',
  'mode',
  'batteryType',
  'simstate',
  'deepSleep',
  'saveToWeb',
  'claimable',
] as const;

export const device = noun('device', fields, { always });

/** Fields of a device that are not stored with it: they follow from its plan, or are always null. */
export const DERIVED_DEVICE_FIELDS = [
  'subscriptionType',
  'onoWhitelistId',
  'siloId',
  'resellerId',
  'resellerPlanId',
  'stripeSubscription',
] as const;

/** Returned when a device is created and when its key is replaced, the only times the key is shown. */
const deviceWithKey = noun(
  'device',
  { ...fields, deviceKey: text('Key the device reports with. Returned only in this response.', { readOnly: true }) },
  { always: [...always, 'deviceKey'], shownAs: 'device with key' },
);

export const RIGHTS = ['view', 'manage'] as const;

export const share = noun(
  'share',
  {
    id: id(),
    deviceId: key('Id of the shared device.', { readOnly: true }),
    userId: key('Id of the user the device is shared with. Null if it was shared with an address.'),
    email: email(
      'E-mail address the device is shared with. Whoever has or gets an account with this confirmed address has access.',
    ),
    rights: Type.Enum([...RIGHTS], {
      title: 'share right',
      default: 'view',
      description:
        '`view`: read the device and its data. `manage`: also change the configuration, send messages, and create triggers and forwarders.',
    }),
    created: time('When the share was created.', { readOnly: true }),
  },
  { always: ['deviceId', 'rights', 'created'] },
);

const shareUpdate = noun(
  'share',
  {
    rights: Type.Enum([...RIGHTS], { title: 'share right', description: '`view` or `manage`.' }),
    userId: key('Cannot be changed.'),
  },
  { always: ['rights'] },
);

const access = Type.Object(
  {
    right: Type.Enum(['view', 'manage', 'own'], {
      title: 'device right',
      description: 'Right of the caller on the device. `manage` includes `view`, `own` includes both.',
    }),
    shareId: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Id of the share that gives the caller access. Null for the owner and for admins.',
    }),
    hasKey: Type.Boolean({ description: 'Whether the device has a key.' }),
  },
  { title: 'device access' },
);

const abilities = Type.Object(
  {
    positions: Type.Boolean({ description: 'It has lately reported where it is.' }),
    readings: Type.Boolean({ description: 'It has readings.' }),
    hearings: Type.Boolean({ description: 'It has heard other devices by radio.' }),
    messages: Type.Boolean({ description: 'It understands commands, or has messages.' }),
    configuration: Type.Boolean({
      description: 'It has taken a configuration or told its firmware version, or a configuration waits for it.',
    }),
    forwarders: Type.Boolean({ description: 'It has forwarders that the caller may see.' }),
    quarantine: Type.Boolean({ description: 'Something of it is in quarantine.' }),
  },
  { title: 'device abilities' },
);

/** What a phone encrypts its reports with. */
const deviceSecret = noun(
  'device secret',
  {
    secret: text('The encryption key set in the app, at most 32 bytes in UTF-8. Null if none is set.', {
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
  listDevices: list(device, devices, 'user', {
    summary: 'List the devices visible to the caller',
    description: 'Owned and shared devices. For an admin, all devices.',
  }),
  countDevices: count(device, devices, 'user'),
  listDeletedDevices: list(device, '/devices/deleted', 'admin', {
    summary: 'List the devices deleted in the last 30 days',
  }),
  createDevice: create(deviceWithKey, devices, 'user', {
    description: 'The caller becomes the owner. The device key is returned only in this response.',
  }),
  getDevice: operation('GET', '/devices/{id}', 'view', {
    summary: 'Get a device',
    description: '`fields` of the filter chooses fields; `include` adds `config`, `points` or `subscription`.',
    narrowing: 'filter',
    answer: answerOf(device),
  }) as Operation<undefined, Shown<typeof device>, '/devices/{id}', { filter?: Filter }>,
  getDeviceAccess: operation('GET', '/devices/{id}/access', 'view', {
    summary: "Get the caller's right on a device",
    answer: access,
  }),
  getDeviceAbilities: operation('GET', '/devices/{id}/abilities', 'view', {
    summary: 'Get what a device can do, as far as it has shown it',
    description: 'What a page about the device has to show. A device that never reported has shown nothing yet.',
    answer: abilities,
  }),
  updateDevice: update(device, '/devices/{id}', 'manage'),
  deleteDevice: remove(device, '/devices/{id}', 'own', {
    description:
      'The device is hidden and its key stops working immediately. An admin can restore the device for 30 days. After that, its data is deleted.',
  }),
  restoreDevice: operation('POST', '/devices/{id}/restore', 'admin', {
    summary: 'Restore a deleted device',
    description: 'Possible for 30 days after the deletion.',
    answer: answerOf(device),
  }),
  rotateDeviceKey: operation('POST', '/devices/{id}/key', 'own', {
    summary: "Replace a device's key",
    description: 'The new key is returned only in this response. The old key stops working immediately.',
    ...shownWithKey,
  }),
  revokeDeviceKey: operation('DELETE', '/devices/{id}/key', 'own', {
    summary: "Revoke a device's key",
    description: 'The key stops working immediately. To issue a new one, replace the key.',
  }),
  getDeviceSecret: operation('GET', '/devices/{id}/secret', 'own', {
    summary: 'The secret with which the device encrypts its reports',
    answer: answerOf(deviceSecret),
  }),
  setDeviceSecret: operation('PUT', '/devices/{id}/secret', 'own', {
    summary: 'Set the secret with which the device encrypts its reports',
    description:
      'For OwnTracks: the encryption key in the settings of the app. Encrypted reports that cannot be decrypted are quarantined. Encrypted reports are answered encrypted.',
    body: { noun: deviceSecret, mode: 'create' },
    answer: answerOf(deviceSecret),
  }),
  removeDeviceSecret: operation('DELETE', '/devices/{id}/secret', 'own', {
    summary: 'Remove the secret with which the device encrypts its reports',
  }),

  listUserDevices: list(device, ofUser, 'self', { summary: "List a user's devices, owned and shared" }),
  countUserDevices: count(device, ofUser, 'self'),
  createUserDevice: create(deviceWithKey, ofUser, 'self', {
    summary: 'Create a device for a user',
    description: 'The user becomes the owner. The device key is returned only in this response.',
  }),

  listShares: list(share, shares, 'own'),
  countShares: count(share, shares, 'own'),
  createShare: create(share, shares, 'own', {
    summary: 'Share a device with another user',
    description:
      'Send the `email` address of the person. The response is the same whether or not an account has that address: access begins at once for an account with that confirmed address, otherwise when there is one, and the address is told by mail if mail is set up. `userId` is accepted only for users who share a device with the caller or whom the caller has shared one with by id; every other id is unknown. Admins may send any id.',
  }),
  getShare: read(share, `${shares}/{fk}`, 'own'),
  updateShare: update(shareUpdate, `${shares}/{fk}`, 'own', {
    description: 'Reducing the rights to `view` deletes the triggers and forwarders of that user on the device.',
    answer: answerOf(share),
  }),
  deleteShare: remove(share, `${shares}/{fk}`, 'view', {
    summary: 'End a share',
    description:
      'The owner can end any share. Other users leave the device by ending their own, which ends all their shares of it. The triggers, forwarders and live streams of that user on the device end too.',
  }),
  deleteShares: removeAll(share, shares, 'own'),
};
