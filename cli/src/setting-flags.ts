import {
  type Declaration,
  environmentName,
  flagName,
  type ReadSettings,
  readSettings,
} from '@trackway/server/platform/settings.ts';
import { SETTINGS, type Settings } from '@trackway/server/settings.ts';
import { type Flags, type Given, UsageError } from './command.ts';
import { problemsOf } from './setting-rules.ts';

/** The settings of the server as flags of a command, made from their declarations. */

export type SettingName = keyof Settings;
const ALL = Object.keys(SETTINGS) as SettingName[];
/** What tells where the data is. */
const OF_STORE: readonly SettingName[] = ['data', 'databaseUrl'];

export const settingFlags = (): Flags => flagsOf(ALL);
export const storeFlags = (): Flags => flagsOf(OF_STORE);

function flagsOf(names: readonly SettingName[]): Flags {
  return Object.fromEntries(
    names.map((name) => {
      const { about, isFlag, default: byDefault }: Declaration<unknown> = SETTINGS[name];
      const unset = byDefault === '' ? '' : ` [${byDefault}]`;
      const takes = isFlag ? undefined : typeof byDefault === 'number' ? 'NUMBER' : 'TEXT';
      return [flagName(name).slice(2), { about: `${about} ${environmentName(name)}${unset}`, takes }];
    }),
  );
}

/** Variables of `trackway call`, which are not the server's. */
const OF_CALL = ['TRACKWAY_TOKEN', 'TRACKWAY_URL'];

const environment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_CALL.includes(name)));
const dashed = (given: Given) =>
  Object.fromEntries(Object.entries(given.flags).map(([name, value]) => [`--${name}`, value]));

export const settingsOf = (given: Given): ReadSettings<typeof SETTINGS> =>
  readSettings(SETTINGS, environment(), dashed(given));

/** Only what tells where the data is: a command in need must not stop at a bad setting that it has no use for. */
export function storeSettingsOf(given: Given): Settings {
  const declared = { data: SETTINGS.data, databaseUrl: SETTINGS.databaseUrl };
  const { values, problems } = readSettings(declared, environment(), dashed(given));
  const settings = { ...readSettings(SETTINGS, {}).values, ...values };
  const wrong = [...problems, ...problemsOf(settings)];
  if (wrong.length > 0) throw new UsageError(wrong.join('\n'));
  return settings;
}

export type Source = 'default' | 'environment' | 'flag';

export function sourceOf(name: SettingName, given: Given): Source {
  if (given.flags[flagName(name).slice(2)] !== undefined) return 'flag';
  return process.env[environmentName(name)] ? 'environment' : 'default';
}
