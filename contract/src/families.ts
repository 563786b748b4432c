/** Access of a limited token: everything, only reading, or only reporting. */
export const TOKEN_ACCESS = ['full', 'read', 'ingest'] as const;
export type TokenAccess = (typeof TOKEN_ACCESS)[number];

/**
 * The families of operations that a token can be limited to, with the texts that people select them by. Accounts,
 * tokens and sessions belong to no family: a limited token never reaches them.
 */
export const FAMILIES = {
  devices: 'Devices',
  shares: 'Shares of devices, groups and geofence lists',
  deviceKeys: 'Keys of devices',
  configuration: 'Device configuration',
  positions: 'Positions',
  trips: 'Trips, stops and tracks',
  readings: 'Readings',
  messages: 'Messages',
  geofences: 'Geofences',
  triggers: 'Triggers',
  notifications: 'Notifications',
  deliveries: 'Deliveries',
  forwarding: 'Forwarding',
  pushSubscriptions: 'Push subscriptions',
  plans: 'Plans',
  whereabouts: 'Last known positions',
  live: 'Live stream',
  server: 'Server',
} as const;
export type TokenFamily = keyof typeof FAMILIES;
export const FAMILY_NAMES = Object.keys(FAMILIES) as TokenFamily[];

/** Maximum number of devices in the list of a token. */
export const MOST_TOKEN_DEVICES = 1000;
