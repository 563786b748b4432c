import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { t } from '../texts/t.ts';
import type { IconName } from '../ui/icons.ts';

export type TypeGroup = keyof typeof t.triggers.groups;

/** Where a type stands among the others, and its picture. */
export const TYPE_LOOKS: Readonly<Record<TriggerTypeName, { readonly group: TypeGroup; readonly icon: IconName }>> = {
  geofence: { group: 'places', icon: 'fence' },
  geoEntry: { group: 'places', icon: 'pin' },
  proximity: { group: 'places', icon: 'target' },
  motionStart: { group: 'movement', icon: 'play' },
  motionStop: { group: 'movement', icon: 'pause' },
  speed: { group: 'movement', icon: 'gauge' },
  distance: { group: 'movement', icon: 'route' },
  tow: { group: 'movement', icon: 'car' },
  lowBat: { group: 'state', icon: 'battery' },
  offline: { group: 'state', icon: 'signal' },
  button: { group: 'alerts', icon: 'circle' },
  acc: { group: 'alerts', icon: 'down' },
  alertMode: { group: 'alerts', icon: 'warning' },
  extAccel: { group: 'alerts', icon: 'health' },
  temp: { group: 'measures', icon: 'thermometer' },
  temp_bme: { group: 'measures', icon: 'thermometer' },
  humidity: { group: 'measures', icon: 'chart' },
  pressure: { group: 'measures', icon: 'gauge' },
  lightLevel: { group: 'measures', icon: 'sun' },
  ultraLevel: { group: 'measures', icon: 'signal' },
  newReading: { group: 'data', icon: 'chart' },
  newMsg: { group: 'data', icon: 'message' },
  newLoc: { group: 'data', icon: 'device' },
  newWakeLoc: { group: 'data', icon: 'device' },
  newAvailLoc: { group: 'data', icon: 'device' },
  expiresDaily: { group: 'plans', icon: 'plan' },
  expiresWeekly: { group: 'plans', icon: 'plan' },
};

export const TYPE_NAMES = Object.keys(TYPE_LOOKS) as TriggerTypeName[];

export const typesIn = (group: TypeGroup) => TYPE_NAMES.filter((type) => TYPE_LOOKS[type].group === group);

export const iconOfType = (type: string): IconName => TYPE_LOOKS[type as TriggerTypeName]?.icon ?? 'bell';
export const labelOfType = (type: string): string => t.triggers.types[type as TriggerTypeName]?.label ?? type;
