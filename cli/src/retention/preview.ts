import { FORGOTTEN_KINDS, type ForgottenKind, type KeptHistory } from '@trackway/server/domain/history/kept-history.ts';
import { previewRetention } from '@trackway/server/domain/history/preview.ts';
import { type Command, UsageError } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { settingFlags, settingsOf, storeFlags } from '../setting-flags.ts';
import { table } from '../table.ts';

const KEPT = [
  'keepPositions',
  'keepReadings',
  'keepTrips',
  'keepNotifications',
  'keepCheckpoints',
  'thinAfter',
] as const;
const DAY_MS = 86_400_000;

const NAMES: Readonly<Record<ForgottenKind, string>> = {
  positions: 'Positions',
  thinned: 'Thinned positions (estimate)',
  readings: 'Readings',
  trips: 'Trips and stops',
  notifications: 'Notifications',
  checkpoints: 'Device state history',
  ruleVersions: 'Ended versions of triggers',
};

export const command: Command = {
  describe: () => ({
    about:
      'Preview what settings would delete today: the number of each kind, the oldest and newest, and the approximate size. Nothing is deleted. Without flags, the settings of the environment are used.',
    flags: { ...storeFlags(), ...settingFlags([...KEPT, 'lateWindow']) },
    more: `The newest position and reading of a device always stay. Days of plans and devices count where they are fewer.

Example:
  trackway retention preview --keep-positions 90 --keep-readings 30`,
  }),

  async run(given) {
    const { values: settings, problems } = settingsOf(given);
    if (problems.length > 0) throw new UsageError(problems.join('\n'));
    requireDatabase(settings);
    const kept: KeptHistory = {
      positions: settings.keepPositions,
      readings: settings.keepReadings,
      trips: settings.keepTrips,
      notifications: settings.keepNotifications,
      checkpoints: settings.keepCheckpoints,
      thinAfter: settings.thinAfter,
      windowMs: settings.lateWindow * DAY_MS,
    };
    const kinds = await withStore(settings, (store) =>
      previewRetention(store, { kept, now: Date.now(), owner: 'operator' }),
    );
    const dayOf = (time: number | null) => (time === null ? '–' : new Date(time).toISOString().slice(0, 10));
    const lines = FORGOTTEN_KINDS.map((kind) => {
      const { count, bytes, oldest, newest } = kinds[kind];
      return [NAMES[kind], String(count), dayOf(oldest), dayOf(newest), `${(bytes / 1_000_000).toFixed(1)} MB`];
    });
    console.log(table(['Would be deleted', 'Count', 'Oldest', 'Newest', 'Size (about)'], lines));
    if (FORGOTTEN_KINDS.every((kind) => kinds[kind].count === 0)) console.log('\nNothing would be removed.');
    return 0;
  },
};
