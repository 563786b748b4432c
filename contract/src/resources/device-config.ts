import { Type } from 'typebox';
import { read, update } from '../operation.ts';
import { flag, id, integer, key, list, noun, text, time } from '../schema.ts';

const bits = (description: string) => integer(description, { minimum: 0, maximum: 255, default: 0 });
const sensitivity = (description: string, defaultValue: number) =>
  integer(description, { minimum: 1, maximum: 10, default: defaultValue });
const seconds = (description: string, defaultValue: number, minimum: number, maximum = 2_147_483_647) =>
  integer(description, { minimum, maximum, default: defaultValue });

const wakeReasons = Type.Object(
  {
    bluetooth: Type.Optional(Type.Boolean({ description: 'Wake on a Bluetooth event.' })),
    move: Type.Optional(Type.Boolean({ description: 'Wake on movement.' })),
    geofence: Type.Optional(Type.Boolean({ description: 'Wake on a geofence event.' })),
    drop: Type.Optional(Type.Boolean({ description: 'Wake when dropped.' })),
  },
  { title: 'wake reasons' },
);

const timedAction = Type.Object(
  {
    hh: Type.Integer({ minimum: 0, maximum: 23, description: 'Hour in UTC.' }),
    mm: Type.Integer({ minimum: 0, maximum: 59, description: 'Minute.' }),
    day: Type.Integer({ minimum: 0, maximum: 7, description: 'Day of the week: 0 Sunday … 6 Saturday, 7 every day.' }),
    action: Type.Integer({ minimum: 0, maximum: 3, description: 'Action: 0 none, 1 sleep, 2 wake, 3 transmit.' }),
  },
  { title: 'timed action' },
);

/** The settings that a device must apply. Each device has exactly one, created together with the device. */
export const deviceConfig = noun(
  'deviceConfig',
  {
    id: id(),
    deviceId: key('Id of the device.', { readOnly: true }),
    safeZoneId: key('Id of the geofence that is the safe zone of the device.'),
    currentFW: text('Firmware version the device runs.', { maxLength: 100 }),
    otaFW: text('Firmware version to install.', { maxLength: 100 }),
    fwChannel: text('Channel the firmware is updated from. Null: the default one.', { maxLength: 100 }),
    interval: seconds('Seconds between connections while awake.', 300, 1),
    sleepInterval: seconds('Seconds between connections while asleep.', 43_200, 1),
    packing: integer('Number of positions per transmission.', { minimum: 1, maximum: 255, default: 1 }),
    movementSensitivity: sensitivity('Movement sensitivity, from 1 (most sensitive) to 10.', 1),
    movementSensitivity2: sensitivity('Second movement sensitivity, from 1 (most sensitive) to 10.', 2),
    debounce: sensitivity('Debounce level, from 1 to 10.', 3),
    behavior: bits(
      'Bits: 1 GsmOnWhenAwake, 2 GsmOnWhenAsleep, 4 GpsOnWhenAwake, 8 DisableWifiAccuracyAssist, 16 RepeatSleep, 32 DisableBluetooth, 64 DisableWifi, 128 SmartGps.',
    ),
    modeControl: bits(
      'Bits: 1 StartStopOnly, 2 LockAwakeOnAlert, 4 SendSleepLocAfterBtDisconnect, 8 PeriodicBtRefreshDisabled, 16 BatchTransmitOnCheckIn, 32 DisableGps, 64 ButtonOnOff, 128 AlwaysOn.',
    ),
    modeControl2: bits(
      'Bits: 1 SendStopImmediately, 2 StopTimeoutIsInMinutes, 4 HarshPowerBudget, 8 Lock2G, 16 DisableGpsOptimisations, 32 EnableShockDetect, 64 UwbBroadcasting, 128 UwbScanning.',
    ),
    gpsTimeout: seconds('Seconds to search for a GPS fix.', 90, 0, 255),
    transmitTimeout: integer('Transmission timeout, in units of 30 seconds.', { minimum: 0, default: 0 }),
    gpsStabilize: seconds('Seconds to let a GPS fix stabilize.', 10, 0),
    gpsCheckInterval: seconds('Seconds between GPS checks.', 120, 0),
    stopTimeout: seconds(
      'Seconds without motion until the device counts as stopped. Minutes if bit 2 of modeControl2 is set.',
      90,
      0,
    ),
    tolerancePercentage: integer('Power budget in mAh per update.', { minimum: 5, default: 10 }),
    reasonsToWake: list(wakeReasons, 'Events that wake the device.', {
      maxItems: 20,
      default: [{ bluetooth: false, move: true, geofence: false }],
    }),
    timed: list(timedAction, 'Actions at fixed times.', { maxItems: 100 }),
    modified: time(
      'When the pending change was made. Null once the device has confirmed the configuration. Set any time to have it sent again.',
    ),
    receivedAt: time('When the device last confirmed its configuration.', { readOnly: true }),
    forceFw: flag('Whether to force the installation of otaFW.', { default: false }),
    updateAvailibility: integer('Available firmware update: 0 none, 2 minor, 4 major, 6 critical, 9 force.', {
      minimum: 0,
      maximum: 9,
      default: 0,
    }),
    reset: integer(
      'Reset on the next connection: 0 reboot, 1 also clear the settings cache, 2 also clear Bluetooth data. Null again once the device has confirmed it.',
      {
        minimum: 0,
        maximum: 2,
      },
    ),
    flashTryCount: integer('Number of firmware update attempts.', { minimum: 0, default: 0 }),
    homeWifiNetwork: text('Name of the home Wi-Fi network.', { maxLength: 127 }),
    wakeAction: text('Action on wake: `normal`, `available`, or another value the device supports.', {
      minLength: 1,
      maxLength: 100,
      default: 'normal',
    }),
    alertAction: text('Action on alert: `nothing`, `available`, `lockOn`, or another value the device supports.', {
      minLength: 1,
      maxLength: 100,
      default: 'nothing',
    }),
    command: integer('Command code. Sent to the device once.', {}),
    checkInInterval: integer('Always 0. Present because older clients reject a configuration without it.', {
      readOnly: true,
      default: 0,
    }),
    onDemandTime: integer('Seconds an on-demand device stays reachable.', { readOnly: true, default: 30 }),
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
    description: 'Every device has a configuration from its creation on.',
    query: unusedRefresh,
  }),
  updateDeviceConfig: update(deviceConfig, '/devices/{id}/config', 'manage', {
    summary: 'Update the configuration of a device',
    description:
      'Changes only the fields that are sent. The change is pending (`modified` is set) until the device fetches and confirms it.',
  }),
};
