/** What a limited token may do: everything, only read, or only report. */
export const TOKEN_ACCESS = ['full', 'read', 'ingest'] as const;
export type TokenAccess = (typeof TOKEN_ACCESS)[number];

/**
 * The families of operations to which a token can be limited, in the words people choose them by. Accounts, tokens and
 * sessions are no family: a limited token never reaches them.
 */
export const FAMILIES = {
  devices: 'Devices',
  shares: 'Shares of devices, groups and lists of geofences',
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

/** At most this many devices in the list of a token. */
export const MOST_TOKEN_DEVICES = 1000;
