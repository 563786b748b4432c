import { CHANNEL_FIELDS } from '@trackway/contract/wording/channel-fields.ts';
import { type ChannelValues, enteredSetting } from '../domain/service/channel-setup.ts';
import { SETTINGS, type Settings } from './settings.ts';

/** Settings that admins can enter in the console. */
const ENTERED = [
  ...new Set(
    Object.values(CHANNEL_FIELDS).flatMap((fields) =>
      Object.values(fields as Record<string, { setting: string }>).map(({ setting }) => setting as keyof Settings),
    ),
  ),
];

export const isGiven = (given: Settings, setting: string) =>
  given[setting as keyof Settings] !== SETTINGS[setting as keyof Settings].default;

/** The settings of the operator, and where these are absent, what admins entered: at each reading the current value. */
export function liveSettings(given: Settings, values: ChannelValues): Settings {
  const live = { ...given };
  for (const setting of ENTERED)
    if (!isGiven(given, setting))
      Object.defineProperty(live, setting, {
        enumerable: true,
        get: () => enteredSetting(values.current(), setting) || given[setting],
      });
  return live;
}
