/**
 * The resources of the published API, copied by hand: names and types, and which fields are never null in an answer
 * (contract, section 5). Nothing here is imported from the contract package, because these lists check it.
 */

export type Fields = Readonly<Record<string, string>>;

export const GATEWAY_READING: Fields = {
  id: 'integer!',
  timestamp: 'time!',
  created: 'time!',
  type: 'string!',
  value: 'any!',
  rssi: 'number',
  meta: 'object',
  relatedId: 'integer',
  correlationId: 'string',
  gatewayId: 'integer',
  deviceId: 'integer',
  sensorDeviceId: 'string',
  datapointId: 'integer',
};

const { sensorDeviceId: _, ...updated } = GATEWAY_READING;
export const UPDATED_GATEWAY_READING: Fields = updated;

export const DEVICE_CONFIG: Fields = {
  id: 'integer!',
  deviceId: 'integer!',
  safeZoneId: 'integer',
  currentFW: 'string',
  otaFW: 'string',
  interval: 'integer!',
  sleepInterval: 'integer!',
  packing: 'integer!',
  movementSensitivity: 'integer',
  movementSensitivity2: 'integer',
  debounce: 'integer',
  behavior: 'integer',
  modeControl: 'integer',
  modeControl2: 'integer',
  gpsTimeout: 'integer',
  transmitTimeout: 'integer',
  gpsStabilize: 'integer',
  gpsCheckInterval: 'integer',
  stopTimeout: 'integer',
  tolerancePercentage: 'integer',
  reasonsToWake: 'array',
  timed: 'array',
  modified: 'time',
  receivedAt: 'time',
  forceFw: 'boolean',
  updateAvailibility: 'integer',
  reset: 'integer',
  flashTryCount: 'integer',
  homeWifiNetwork: 'string',
  wakeAction: 'string!',
  alertAction: 'string!',
  command: 'integer',
};

export const GEOFENCE: Fields = {
  id: 'integer!',
  outline: 'array',
  center: 'place',
  radius: 'number',
  type: 'string',
  name: 'string',
  wasInside: 'boolean!',
  lastChecked: 'time',
  modified: 'boolean!',
  meta: 'object',
  foreignId: 'string',
  deviceId: 'integer',
  configId: 'integer',
  userId: 'integer!',
};

export const NOTIFICATION_TRIGGER: Fields = {
  id: 'integer!',
  name: 'string!',
  type: 'string!',
  parameters: 'object',
  muteFor: 'number!',
  lastTriggered: 'time',
  delivery: 'object!',
  deviceId: 'integer!',
  userId: 'integer!',
};

/** What Trackway adds: whether it is paused, how much it matters, and the rule that it follows. */
export const MORE_OF_A_TRIGGER: Fields = {
  meta: 'object',
  severity: 'string!',
  paused: 'boolean!',
  snoozedUntil: 'time',
  escalateAfter: 'number!',
  escalation: 'object',
};

export const MESSAGE: Fields = {
  id: 'integer!',
  config: 'string',
  message: 'string',
  mobileTerminated: 'boolean',
  created: 'time!',
  sent: 'time',
  deviceId: 'integer!',
  userId: 'integer',
};

/** What became of a message, which is not published. */
export const MORE_OF_A_MESSAGE = ['state', 'expires', 'failure', 'replyId'];

export const PLAN: Fields = {
  id: 'integer!',
  name: 'string',
  displayName: 'string',
  description: 'string',
  features: 'string',
  sku: 'string',
  onoWhitelistId: 'integer',
  sleepLimit: 'integer',
  wakeLimit: 'integer',
  prices: 'object',
};
