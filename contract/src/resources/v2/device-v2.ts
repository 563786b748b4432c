import { Type } from 'typebox';
import { answerOf } from '../../operation.ts';
import { flag, id, integer, key, list, noun, number, object, type Shown, text, time } from '../../schema.ts';
import { deviceConfig } from '../device-config.ts';
import { plan } from '../plan.ts';

/** Version 2 has its own names for some fields of devices and configurations. */

const readOnly = { readOnly: true };

const fields = {
  id: id(),
  ownerId: key('Id of the user who owns the device.', readOnly),
  active: flag('Whether the device is in use.'),
  firstSeen: time('When the device first reported. Until then, when it was created.', readOnly),
  name: text('Display name.'),
  imei: text('IMEI.'),
  serial: text('Serial number.'),
  iccid: text('ICCID of the SIM card.'),
  imsi: text('IMSI of the SIM card.'),
  btMacAddress: text('Bluetooth address as `aa:bb:cc:dd:ee:ff`.'),
  type: text('Device type.'),
  color: text('Colour on the map.'),
  batteryType: text('Type of the battery.'),
  stripeSubscription: text('Always null.', readOnly),
  subscriptionType: text('SKU of the active plan, or its name if it has none.', readOnly),
  batteryPct: integer('Last reported battery level in percent, rounded.', readOnly),
  batteryVoltage: number('Last reported battery voltage in volts.', readOnly),
  currentMode: integer('Last reported mode: 0 awake, 1 asleep, 2 available, 6 flight.', readOnly),
  btPasskey: integer('Bluetooth passkey. Null for users who may only view the device.'),
  uwbId: Type.Integer({ minimum: 0, maximum: 0xffffffff, description: 'Ultra-wideband id.' }),
  siloId: integer('Always null.', readOnly),
  resellerId: integer('Always null.', readOnly),
  resellerPlanId: integer('Always null.', readOnly),
  onoWhitelistId: integer('Whitelist id of the active plan.', readOnly),
  expires: time('When the plan of the device expires.', readOnly),
  lastConnection: time('When the device last reported.', readOnly),
  tags: list(Type.String(), 'Labels.', { maxItems: 100, 'x-texts': true }),
  meta: object('Custom data.'),
};

/** A device as version 2 shows it. */
export const deviceV2 = noun('deviceV2', fields, { always: ['ownerId', 'active', 'firstSeen', 'tags', 'meta'] });

const same = deviceConfig.fields;
const firmware = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, readOnly: true });

/** The configuration of a device as version 2 shows it. */
export const deviceConfigV2 = noun('deviceConfigV2', {
  alertAction: same.alertAction!,
  behavior: same.behavior!,
  command: same.command!,
  debounce: same.debounce!,
  flashTryCount: same.flashTryCount!,
  forceFw: same.forceFw!,
  gpsCheckInterval: same.gpsCheckInterval!,
  gpsStabilize: same.gpsStabilize!,
  gpsTimeout: same.gpsTimeout!,
  homeWifiNetwork: same.homeWifiNetwork!,
  interval: same.interval!,
  modeControl: same.modeControl!,
  modeControl2: same.modeControl2!,
  packing: same.packing!,
  receivedAt: same.receivedAt!,
  reset: same.reset!,
  sleepInterval: same.sleepInterval!,
  stopTimeout: same.stopTimeout!,
  tolerancePercentage: same.tolerancePercentage!,
  transmitTimeout: same.transmitTimeout!,
  wakeAction: same.wakeAction!,
  modified: same.modified!,
  currentFW: firmware('Firmware version the device runs, if it is a whole number.'),
  currentFWName: text('Firmware version the device runs.', readOnly),
  otaFW: firmware('Firmware version to install, if it is a whole number.'),
  otaFWName: text('Firmware version to install.', readOnly),
  movementSensitivity: same.movementSensitivity2!,
  movementSensitivityOld: same.movementSensitivity!,
  updateAvailability: same.updateAvailibility!,
  reasonsToWake: Type.Object(
    {
      bluetooth: Type.Optional(Type.Boolean({ description: 'Wake on a Bluetooth event.' })),
      move: Type.Optional(Type.Boolean({ description: 'Wake on movement.' })),
      geofence: Type.Optional(Type.Boolean({ description: 'Wake on a geofence event.' })),
      drop: Type.Optional(Type.Boolean({ description: 'Wake when dropped.' })),
    },
    { title: 'wake reasons', description: 'Events that wake the device.' },
  ),
  timed: text('Actions at fixed times, as JSON text.'),
  fwChannel: text('Channel of offered firmware.'),
});

/** Common fields of all schemas of a subscription. */
export const subscriptionFields = {
  id: Type.Integer({ description: 'Id of the subscription.' }),
  deviceId: Type.Integer({ description: 'Id of the device.' }),
  userId: Type.Integer({ description: 'Id of the user whose credit was used.' }),
  planId: Type.Integer({ description: 'Id of the plan.' }),
  created: Type.String({ format: 'date-time', description: 'Start of the subscription.' }),
  expires: Type.String({ format: 'date-time', description: 'End of the subscription.' }),
};

/** The active subscription of a device, as lists of devices show it. */
export const shownSubscription = Type.Object(
  {
    ...subscriptionFields,
    plan: Type.Optional(Type.Unsafe<Shown<typeof plan>>({ ...answerOf(plan), description: 'The plan.' })),
  },
  { title: 'active subscription' },
);
