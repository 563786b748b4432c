import { Type } from 'typebox';
import { read, update } from './operation.ts';
import { flag, id, integer, key, list, noun, text, time } from './schema.ts';

const bits = (description: string) => integer(description, { minimum: 0, maximum: 255, default: 0 });
const sensitivity = (description: string, byDefault: number) =>
  integer(description, { minimum: 1, maximum: 10, default: byDefault });
const seconds = (description: string, byDefault: number, minimum: number, maximum = 2_147_483_647) =>
  integer(`${description} Seconds.`, { minimum, maximum, default: byDefault });

const wakeReasons = Type.Object({
  bluetooth: Type.Optional(Type.Boolean()),
  move: Type.Optional(Type.Boolean()),
  geofence: Type.Optional(Type.Boolean()),
  drop: Type.Optional(Type.Boolean()),
});

const timedAction = Type.Object({
  hh: Type.Integer({ minimum: 0, maximum: 23, description: 'Hour, UTC.' }),
  mm: Type.Integer({ minimum: 0, maximum: 59, description: 'Minute.' }),
  day: Type.Integer({ minimum: 0, maximum: 7, description: '0 Sunday … 6 Saturday, 7 every day.' }),
  action: Type.Integer({ minimum: 0, maximum: 3, description: '0 none, 1 sleep, 2 wake, 3 transmit.' }),
});

/** How a device shall behave. One for each device, made with it. */
export const deviceConfig = noun(
  'deviceConfig',
  {
    id: id(),
    deviceId: key('The device.', { readOnly: true }),
    safeZoneId: key('The geofence that is its safe zone.'),
    currentFW: text('Firmware it runs.', { maxLength: 100 }),
    otaFW: text('Firmware it shall run.', { maxLength: 100 }),
    interval: seconds('Between connections while awake.', 300, 1),
    sleepInterval: seconds('Between connections while asleep.', 43_200, 1),
    packing: integer('Positions in one transmission.', { minimum: 1, maximum: 255, default: 1 }),
    movementSensitivity: sensitivity('1 (most sensitive) to 10.', 1),
    movementSensitivity2: sensitivity('1 (most sensitive) to 10.', 2),
    debounce: sensitivity('1 to 10.', 3),
    behavior: bits(
      'Bits: 1 GsmOnWhenAwake, 2 GsmOnWhenAsleep, 4 GpsOnWhenAwake, 8 DisableWifiAccuracyAssist, 16 RepeatSleep, 32 DisableBluetooth, 64 DisableWifi, 128 SmartGps.',
    ),
    modeControl: bits(
      'Bits: 1 StartStopOnly, 2 LockAwakeOnAlert, 4 SendSleepLocAfterBtDisconnect, 8 PeriodicBtRefreshDisabled, 16 BatchTransmitOnCheckIn, 32 DisableGps, 64 ButtonOnOff, 128 AlwaysOn.',
    ),
    modeControl2: bits(
      'Bits: 1 SendStopImmediately, 2 StopTimeoutIsInMinutes, 4 HarshPowerBudget, 8 Lock2G, 16 DisableGpsOptimisations, 32 EnableShockDetect, 64 UwbBroadcasting, 128 UwbScanning.',
    ),
    gpsTimeout: seconds('How long to look for a fix.', 90, 0, 255),
    transmitTimeout: integer('In units of 30 seconds.', { minimum: 0, default: 0 }),
    gpsStabilize: seconds('How long to let a fix settle.', 10, 0),
    gpsCheckInterval: seconds('Between looks for a fix.', 120, 0),
    stopTimeout: seconds('Without motion until it counts as stopped; minutes with modeControl2 bit 2.', 90, 0),
    tolerancePercentage: integer('Power budget, mAh per update.', { minimum: 5, default: 10 }),
    reasonsToWake: list(wakeReasons, 'What wakes it.', {
      maxItems: 20,
      default: [{ bluetooth: false, move: true, geofence: false }],
    }),
    timed: list(timedAction, 'What it does at fixed times.', { maxItems: 100 }),
    modified: time(
      'Since when a change waits to be sent; null once the device has it. Any time sent here means: send it again.',
    ),
    receivedAt: time('When the device last took its settings.', { readOnly: true }),
    forceFw: flag('Whether the firmware wanted is installed at any cost.', { default: false }),
    updateAvailibility: integer('0 none, 2 minor, 4 major, 6 critical, 9 force.', {
      minimum: 0,
      maximum: 9,
      default: 0,
    }),
    reset: integer('0 reboot, 1 and clear the settings cache, 2 and clear bluetooth data; cleared when taken.', {
      minimum: 0,
      maximum: 2,
    }),
    flashTryCount: integer('How often an update was tried.', { minimum: 0, default: 0 }),
    homeWifiNetwork: text('Name of the network at home.', { maxLength: 127 }),
    wakeAction: text('normal, available, or another the device knows.', {
      minLength: 1,
      maxLength: 100,
      default: 'normal',
    }),
    alertAction: text('nothing, available, lockOn, or another the device knows.', {
      minLength: 1,
      maxLength: 100,
      default: 'nothing',
    }),
    command: integer('Sent once.', {}),
    checkInInterval: integer('Kept for older clients, which refuse a configuration without it.', {
      readOnly: true,
      default: 0,
    }),
    onDemandTime: integer('Seconds a device on demand stays reachable.', { readOnly: true, default: 30 }),
  },
  {
    always: [
      'deviceId',
      'interval',
      'sleepInterval',
      'packing',
      'wakeAction',
      'alertAction',
      'checkInInterval',
      'onDemandTime',
    ],
  },
);

const unusedRefresh = { refresh: flag('Accepted and ignored.') };

export const deviceConfigOperations = {
  getDeviceConfig: read(deviceConfig, '/devices/{id}/config', 'view', {
    summary: 'Retrieve the configuration of a device',
    query: unusedRefresh,
  }),
  updateDeviceConfig: update(deviceConfig, '/devices/{id}/config', 'manage', {
    summary: 'Change the configuration of a device',
  }),
};
