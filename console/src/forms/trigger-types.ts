import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { t } from '../texts/t.ts';
import type { IconName } from '../ui/icons.ts';

export type TypeGroup = keyof typeof t.triggers.groups;

type FieldWords = typeof t.triggers.fields;
/** Keys of texts that are plain strings. */
type FieldWord = { [Name in keyof FieldWords]: FieldWords[Name] extends string ? Name : never }[keyof FieldWords];

/** A number, with its unit, limits and default from the contract. */
export interface QuantityField {
  readonly parameter: string;
  readonly label: FieldWord;
  readonly hint?: FieldWord;
  /** The display unit of the contract's seconds. */
  readonly time?: 's' | 'min';
}

export type TriggerField =
  | QuantityField
  | 'zone'
  | 'zoneType'
  | 'readingType'
  | 'days'
  | 'mask'
  | 'alarms'
  | 'otherDevice';

const LIMIT: QuantityField = { parameter: 'limit', label: 'limit' };
const LASTS_MINUTES: QuantityField = { parameter: 'for', label: 'lasts', hint: 'lastsHint', time: 'min' };
const BOUNDS: readonly QuantityField[] = [
  { parameter: 'min', label: 'min' },
  { parameter: 'max', label: 'max' },
];

/** The form of a type, its icon, and its group in the picker, which uses this order. */
interface TypeForm {
  readonly group: TypeGroup;
  readonly icon: IconName;
  readonly fields: readonly TriggerField[];
}

export const TYPE_FORMS: Readonly<Record<TriggerTypeName, TypeForm>> = {
  geofence: { group: 'places', icon: 'fence', fields: ['zone', 'zoneType'] },
  geoEntry: { group: 'places', icon: 'pin', fields: ['zone'] },
  proximity: { group: 'places', icon: 'target', fields: ['otherDevice', { parameter: 'meters', label: 'near' }] },
  motionStart: { group: 'movement', icon: 'play', fields: [LASTS_MINUTES] },
  motionStop: { group: 'movement', icon: 'pause', fields: [LASTS_MINUTES] },
  speed: { group: 'movement', icon: 'gauge', fields: [LIMIT, { ...LASTS_MINUTES, time: 's' }] },
  distance: { group: 'movement', icon: 'route', fields: [LIMIT, 'days'] },
  tow: { group: 'movement', icon: 'car', fields: [{ parameter: 'meters', label: 'towed', hint: 'towedHint' }] },
  lowBat: { group: 'state', icon: 'battery', fields: [{ parameter: 'threshold', label: 'threshold' }] },
  offline: { group: 'state', icon: 'signal', fields: [{ parameter: 'after', label: 'after', time: 'min' }] },
  button: { group: 'alerts', icon: 'circle', fields: [] },
  acc: { group: 'alerts', icon: 'down', fields: [] },
  alertMode: { group: 'alerts', icon: 'warning', fields: ['mask'] },
  alarm: { group: 'alerts', icon: 'bell', fields: ['alarms'] },
  extAccel: { group: 'alerts', icon: 'health', fields: [LIMIT] },
  temp: { group: 'measures', icon: 'thermometer', fields: BOUNDS },
  temp_bme: { group: 'measures', icon: 'thermometer', fields: BOUNDS },
  humidity: { group: 'measures', icon: 'chart', fields: BOUNDS },
  pressure: { group: 'measures', icon: 'gauge', fields: BOUNDS },
  lightLevel: { group: 'measures', icon: 'sun', fields: BOUNDS },
  ultraLevel: { group: 'measures', icon: 'signal', fields: BOUNDS },
  newReading: { group: 'data', icon: 'chart', fields: ['readingType'] },
  newMsg: { group: 'data', icon: 'message', fields: [] },
  newLoc: { group: 'data', icon: 'device', fields: [] },
  newWakeLoc: { group: 'data', icon: 'device', fields: [] },
  newAvailLoc: { group: 'data', icon: 'device', fields: [] },
  expiresDaily: { group: 'plans', icon: 'plan', fields: [] },
  expiresWeekly: { group: 'plans', icon: 'plan', fields: [] },
  maintenance: { group: 'state', icon: 'wrench', fields: [] },
};

export const TYPE_NAMES = Object.keys(TYPE_FORMS) as TriggerTypeName[];

export const typesIn = (group: TypeGroup) => TYPE_NAMES.filter((type) => TYPE_FORMS[type].group === group);

export const iconOfType = (type: string): IconName => TYPE_FORMS[type as TriggerTypeName]?.icon ?? 'bell';
export const labelOfType = (type: string): string => t.triggers.types[type as TriggerTypeName]?.label ?? type;
