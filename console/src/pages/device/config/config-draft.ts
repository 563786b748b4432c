import type { BodyOf } from '@trackway/contract/operations.ts';
import { deviceConfig as noun } from '@trackway/contract/resources/device-config.ts';
import type { DeviceConfig } from '../../../api/device-config.ts';
import { t } from '../../../texts/t.ts';

/** What someone changed and has not saved: only the fields that differ. */
export type ConfigDraft = NonNullable<BodyOf<'updateDeviceConfig'>>;

/** What every section is given: the settings as they will be, and how to change one. */
export interface ConfigEditor {
  readonly config: DeviceConfig;
  readonly isChanged: (name: keyof ConfigDraft) => boolean;
  readonly set: <K extends keyof ConfigDraft>(name: K, value: ConfigDraft[K]) => void;
  readonly mayEdit: boolean;
}

export type NumberName =
  | 'interval'
  | 'sleepInterval'
  | 'packing'
  | 'transmitTimeout'
  | 'movementSensitivity'
  | 'movementSensitivity2'
  | 'debounce'
  | 'stopTimeout'
  | 'gpsTimeout'
  | 'gpsStabilize'
  | 'gpsCheckInterval'
  | 'tolerancePercentage';

export type TextName = 'homeWifiNetwork' | 'wakeAction' | 'alertAction';
export type BitsName = 'behavior' | 'modeControl' | 'modeControl2';

interface Rule {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
}
/** The bounds and the usual value of a field, as the API states them. */
export const ruleOf = (name: keyof typeof noun.fields) => noun.fields[name] as Rule;

/** Above this a bound is the largest number there is, and nobody has to be told. */
const TOLD = 1_000_000;

/** What is wrong with a number, if anything. */
export function problemWith(name: NumberName, value: number | null): string | undefined {
  const { minimum = 0, maximum = TOLD } = ruleOf(name);
  if (value !== null && Number.isInteger(value) && value >= minimum && value <= maximum) return undefined;
  // A field that was never set may stay empty.
  if (value === null && !noun.always.includes(name)) return undefined;
  return maximum >= TOLD ? t.deviceConfig.atLeast(minimum) : t.deviceConfig.bounds(minimum, maximum);
}

const same = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** The draft with one more change; what is as it was is no change. */
export function changed<K extends keyof ConfigDraft>(
  saved: DeviceConfig,
  draft: ConfigDraft,
  name: K,
  value: ConfigDraft[K],
): ConfigDraft {
  const { [name]: _, ...rest } = draft;
  return same(value, (saved as Record<string, unknown>)[name]) ? rest : { ...rest, [name]: value };
}
