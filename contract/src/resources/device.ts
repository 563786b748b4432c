import { type TUnsafe, Type } from 'typebox';
import {
  answerOf,
  count,
  create,
  type Filter,
  list,
  nullable,
  type Operation,
  operation,
  read,
  remove,
  removeAll,
  SHOWN_ONCE,
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

/** The common notation of a Bluetooth address. Empty: none. */
const MAC = /^([0-9A-Fa-f]{2}([:-]?[0-9A-Fa-f]{2}){5})?$/;

const fields = {
  id: id(),
  name: text('Display name.', { maxLength: 200 }),
  imei: text('IMEI. Free text. Only one device on this server can report with it.', { maxLength: 64 }),
  serial: text('Serial number. Free text. Only one device on this server can report with it.', { maxLength: 64 }),
  iccid: text('ICCID of the SIM card.', { maxLength: 64 }),
  btMac: Type.Union(
    [Type.Integer({ minimum: 0, maximum: 0xffffffffffff }), Type.String({ maxLength: 17, pattern: MAC.source })],
    {
      description:
        'Bluetooth address as a number. Gateways identify the device by it. `aa:bb:cc:dd:ee:ff` is accepted too.',
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
    'Whether the device is in use. Reports of an inactive device are rejected, and its triggers do not fire. Only the owner or an admin can change this.',
    { default: true },
  ),
  expires: time('When the plan of the device expires.', { readOnly: true }),
  allowKeyless: flag(
    'Whether the device may report with its serial number or IMEI alone, without its key. Only the owner or an admin can change this.',
    {
      default: false,
    },
  ),
  identityPending: flag(
    'Whether the IMEI or serial number waits for approval by an admin. Until then it identifies the device to its owner only: reports with this identity but without the device key are not stored.',
    { readOnly: true },
  ),
  supportedCommands: listOf(
    Type.String(),
    'Commands that can be sent to the device with the protocol it last used. Null until it has used one.',
    { readOnly: true, 'x-texts': true },
  ),
  meta: object(
    'Custom data. `timeZone`, such as `+08:00` or `Asia/Shanghai`, is the time zone of a tracker whose clock is not set to UTC. `place`, such as `{"lat": 50.1, "lng": 8.6, "accuracy": 5}`, is where a gateway is fixed. `friends`: false hides a phone in the OwnTracks apps of others, and others in its own.',
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
      'Whether another user can claim the device by its serial number. `keepHistory`: its earlier history stays visible. Only admins can change this.',
  }),
  commandsFrom: listOf(
    Type.String({ maxLength: 64 }),
    'Which connections of a tracker receive commands: networks such as `203.0.113.0/24`, or `key` for connections with the device key. Null or empty: any network. Only the owner or an admin can change this.',
    { maxItems: 20, 'x-texts': true },
  ),
  keepDays: integer(
    'Retention of positions, readings and notifications of the device in days, if shorter than on the server or in the plan. Trips and stops stay. Null: the setting of the server. Only the owner or an admin can change this.',
    { minimum: 1, maximum: 36_500 },
  ),
};

const always = [
  'ownerId',
  'firstSeen',
  'active',
  'allowKeyless',
  'identityPending',
  'mode',
  'batteryType',
  'simstate',
  'deepSleep',
  'saveToWeb',
  'claimable',
] as const;

export const device = noun('device', fields, { always });

/** Fields of a device that are not stored with it: they are derived from its plan, or are always null. */
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
  {
    ...fields,
    deviceKey: text(
      'Key the device reports with. Returned only in this response: null where the response is repeated for its `Idempotency-Key`. If it was lost, replace it by `POST /devices/{id}/key`.',
      { readOnly: true, ...SHOWN_ONCE },
    ),
  },
  { always: [...always, 'deviceKey'], shownAs: 'device with key' },
);

const trackerList = noun(
  'tracker list',
  {
    identifiers: listOf(
      Type.String({ minLength: 1, maxLength: 64 }),
      'IMEIs (15 digits) or serial numbers, at most 1000.',
      { minItems: 1, maxItems: 1000 },
    ),
    name: text('Prefix of the device names; the last digits of the identifier are added. Defaults to `Tracker`.', {
      maxLength: 150,
    }),
    type: text('Device type. Free text.', { maxLength: 100 }),
    model: text('`meta.model` of new devices: the model on the label. The meaning of some data depends on it.', {
      maxLength: 100,
    }),
  },
  { required: ['identifiers'] },
);
/** Why a tracker could not be added. */
export const TRACKER_PROBLEMS = ['IN_USE', 'QUOTA_EXCEEDED'] as const;
const addedTracker = Type.Object(
  {
    identifier: Type.String({ description: 'The identifier as sent, without surrounding spaces.' }),
    deviceId: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Id of the device. Null if there is a problem.',
    }),
    problem: Type.Union([Type.String(), Type.Null()], { description: 'Why it was not added, in English.' }),
    problemCode: nullable(
      Type.Enum([...TRACKER_PROBLEMS], {
        description:
          '`IN_USE`: a device has the identifier. `QUOTA_EXCEEDED`: the caller has reached the limit of devices or pending identifiers.',
      }),
    ) as TUnsafe<(typeof TRACKER_PROBLEMS)[number] | null>,
    identityPending: Type.Boolean({ description: 'Whether the identifier waits for approval by an admin.' }),
  },
  { title: 'added tracker' },
);

const approval = noun(
  'identity approval',
  {
    identifier: text('The IMEI or serial number to approve, as the device has it.', { minLength: 1, maxLength: 64 }),
  },
  { required: ['identifier'] },
);

export const RIGHTS = ['view', 'manage'] as const;

export const share = noun(
  'share',
  {
    id: id(),
    deviceId: key('Id of the shared device.', { readOnly: true }),
    userId: key('Id of the user the device is shared with. Null if it was shared with an address.'),
    email: email(
      'E-mail address the device is shared with. Every account with this confirmed address has access, also an account that is created later.',
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
    positions: Type.Boolean({ description: 'It has reported its position recently.' }),
    readings: Type.Boolean({ description: 'It has readings.' }),
    hearings: Type.Boolean({ description: 'It has received other devices by radio.' }),
    messages: Type.Boolean({ description: 'It supports commands, or has messages.' }),
    configuration: Type.Boolean({
      description: 'It has applied a configuration or reported its firmware version, or a configuration is pending.',
    }),
    forwarders: Type.Boolean({ description: 'It has forwarders that the caller may see.' }),
    quarantine: Type.Boolean({ description: 'It has quarantined items.' }),
  },
  { title: 'device abilities' },
);

/** The encryption key for the reports of a phone. */
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
    description:
      'The caller becomes the owner. The device key is returned only in this response. Where users can sign up by invitation, `imei` and `serial` of a user who is no admin wait for approval: see `identityPending`.',
  }),
  addTrackers: operation('POST', '/devices/trackers', 'user', {
    summary: 'Add many trackers by their IMEIs or serial numbers',
    description:
      'Creates a device for each identifier, which can report with it alone, without a key. The caller becomes the owner. A device of the caller that has the identifier can report with it from now on. One with `identityPending` waits for approval first. Identifiers that cannot be added are listed with the problem; the others are added.',
    body: { noun: trackerList, mode: 'create' },
    answer: Type.Array(addedTracker),
    example: {
      body: { identifiers: ['356307042441013', '356307042441021'], name: 'Van', model: 'GT06N' },
      answer: [
        { identifier: '356307042441013', deviceId: 17, problem: null, problemCode: null, identityPending: false },
        { identifier: '356307042441021', deviceId: 18, problem: null, problemCode: null, identityPending: false },
      ],
    },
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
    summary: 'Get the observed capabilities of a device',
    description: 'For user interfaces. A device that has never reported has no capabilities.',
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
  approveDeviceIdentity: operation('POST', '/devices/{id}/identity', 'admin', {
    summary: 'Approve the IMEI or serial number of a device',
    description:
      'Where users can sign up by invitation, an IMEI or serial number that a user enters is a claim, as `identityPending` shows, and several users can claim the same one. Once a claim is approved, the device can report with it. The other claims wait; a second one cannot be approved while the first device has the identifier.',
    body: { noun: approval, mode: 'create' },
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
    summary: 'Get the encryption secret of a device',
    answer: answerOf(deviceSecret),
  }),
  setDeviceSecret: operation('PUT', '/devices/{id}/secret', 'own', {
    summary: 'Set the encryption secret of a device',
    description:
      'For OwnTracks: the encryption key in the settings of the app. Encrypted reports that cannot be decrypted are quarantined. Encrypted reports are answered encrypted.',
    body: { noun: deviceSecret, mode: 'create' },
    answer: answerOf(deviceSecret),
  }),
  removeDeviceSecret: operation('DELETE', '/devices/{id}/secret', 'own', {
    summary: 'Remove the encryption secret of a device',
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
      'Send the `email` address of the person. The response is the same whether or not an account has that address: access begins at once for an account with that confirmed address, otherwise when there is one, and the address is notified by mail if mail is set up. `userId` is accepted only for users who share a device with the caller or users that the caller has shared one with by id; every other id is unknown. Admins may send any id.',
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
