import type { BodyOf } from '@trackway/contract/operations.ts';
import { deviceConfig as noun } from '@trackway/contract/resources/device-config.ts';
import type { DeviceConfig } from '../../../api/device-config.ts';
import { t } from '../../../texts/t.ts';

/** Unsaved changes: only the fields that differ. */
export type ConfigDraft = NonNullable<BodyOf<'updateDeviceConfig'>>;

/** The properties of every section: the settings including changes, and a setter. */
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

export type TextName = 'homeWifiNetwork';
export type ActionName = 'wakeAction' | 'alertAction';
export type BitsName = 'behavior' | 'modeControl' | 'modeControl2';

interface Rule {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
}
/** Limits and default of a field, as in the API. */
export const ruleOf = (name: keyof typeof noun.fields) => noun.fields[name] as Rule;

/** A larger limit is that of the number type and not worth showing. */
const REPORTED = 1_000_000;

/** The problem of a number, if any; `scale` is how many of its units are one of the shown. */
export function problemWith(name: NumberName, value: number | null, scale = 1): string | undefined {
  const { minimum = 0, maximum = REPORTED } = ruleOf(name);
  if (value !== null && Number.isInteger(value) && value >= minimum && value <= maximum) return undefined;
  // A field that was never set may stay empty.
  if (value === null && !noun.always.includes(name)) return undefined;
  return maximum >= REPORTED
    ? t.deviceConfig.atLeast({ low: Math.ceil(minimum / scale) })
    : t.deviceConfig.bounds({ low: Math.ceil(minimum / scale), high: Math.floor(maximum / scale) });
}

const same = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** The draft with one more change; a field with its original value is not a change. */
export function changed<K extends keyof ConfigDraft>(
  saved: DeviceConfig,
  draft: ConfigDraft,
  name: K,
  value: ConfigDraft[K],
): ConfigDraft {
  const { [name]: _, ...rest } = draft;
  return same(value, (saved as Record<string, unknown>)[name]) ? rest : { ...rest, [name]: value };
}
