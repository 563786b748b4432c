import { withDomain } from '@trackway/server/app/from-settings.ts';
import { SETTINGS, type Settings } from '@trackway/server/app/settings.ts';
import {
  type Declaration,
  environmentName,
  flagName,
  type ReadSettings,
  readSettings,
} from '@trackway/server/platform/settings.ts';
import { type Flags, type Given, UsageError } from './command.ts';
import { problemsOf } from './setting-rules.ts';

/** The settings of the server as flags of a command, generated from their declarations. */

export type SettingName = keyof Settings;
const ALL = Object.keys(SETTINGS) as SettingName[];
/** The settings of the data location. */
const OF_STORE: readonly SettingName[] = ['data', 'databaseUrl'];

export const settingFlags = (names: readonly SettingName[] = ALL): Flags => flagsOf(names);
export const storeFlags = (): Flags => flagsOf(OF_STORE);
/** Only the folder of the embedded database. */
export const dataFlags = (): Flags => flagsOf(['data']);

function flagsOf(names: readonly SettingName[]): Flags {
  return Object.fromEntries(
    names.map((name) => {
      const { about, isFlag, default: defaultValue }: Declaration<unknown> = SETTINGS[name];
      const defaultNote = defaultValue === '' ? '' : ` [default: ${defaultValue}]`;
      const takes = isFlag ? undefined : typeof defaultValue === 'number' ? 'NUMBER' : 'TEXT';
      return [flagName(name).slice(2), { about: `${about} [env: ${environmentName(name)}]${defaultNote}`, takes }];
    }),
  );
}

/** Variables of the commands that call a server. They are not settings of the server. */
const OF_CALL = ['TRACKWAY_TOKEN', 'TRACKWAY_URL'];

const environment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_CALL.includes(name)));
const dashed = (given: Given) =>
  Object.fromEntries(Object.entries(given.flags).map(([name, value]) => [`--${name}`, value]));

export const settingsOf = (given: Given): ReadSettings<typeof SETTINGS> =>
  withPublicUrl(readSettings(SETTINGS, environment(), dashed(given)));

const withPublicUrl = (read: ReadSettings<typeof SETTINGS>) => ({ ...read, values: withDomain(read.values) });

/** Reads only the settings of the store, so that a maintenance command does not fail on an unrelated bad setting. */
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
