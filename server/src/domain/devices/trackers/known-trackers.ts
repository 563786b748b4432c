import type { KnownTracker } from '../../../calls.ts';
import { fingerprint } from '../../../platform/secrets.ts';
import type { Store } from '../../schema/tables.ts';
import { deviceIdsByKey } from '../device-keys.ts';

interface TrackerRow {
  readonly id: number;
  readonly meta: string | null;
  readonly supportedCommands: string | null;
}

const WHAT = '"id", "meta", "supportedCommands"';
/** More names than this no protocol gives. */
const MOST_NAMES = 4;

/** Finds the tracker that speaks, and notes what can be said to it. */
export function knownTrackers(store: Store) {
  const ids = deviceIdsByKey(store);
  const known = store.prepare<TrackerRow>(
    'trackers.known',
    `SELECT ${WHAT} FROM "devices" WHERE "id" = ? AND "deletedAt" IS NULL`,
  );
  const keyless = store.prepare<TrackerRow>(
    'trackers.keyless',
    `SELECT ${WHAT} FROM "devices" WHERE "id" = ? AND "deletedAt" IS NULL AND "allowKeyless" = 1`,
  );

  async function named(names: readonly string[]): Promise<TrackerRow | undefined> {
    for (const name of names.slice(0, MOST_NAMES)) {
      if (name === '' || name.includes('\0') || !name.isWellFormed()) continue;
      for (const find of [ids.imei, ids.serial]) {
        const id = await find(name);
        const row = id === undefined ? undefined : await keyless.get(id);
        if (row !== undefined) return row;
      }
    }
    return undefined;
  }

  async function holding(keyHash: string): Promise<TrackerRow | undefined> {
    const id = await ids.keyHash(keyHash);
    return id === undefined ? undefined : known.get(id);
  }

  return async (
    names: readonly string[],
    key: string | undefined,
    commands: readonly string[],
  ): Promise<KnownTracker | undefined> => {
    const keyHash = key === undefined ? undefined : fingerprint(key);
    const ofKey = keyHash === undefined ? undefined : await holding(keyHash);
    const row = ofKey ?? (await named(names));
    if (row === undefined) return undefined;
    if (!isSame(row.supportedCommands, commands))
      await store.query
        .updateTable('devices')
        .set({ supportedCommands: JSON.stringify(commands) })
        .where('id', '=', row.id)
        .execute();
    return { deviceId: row.id, ...(ofKey && { keyHash }), ...settingsIn(row.meta) };
  };
}

function isSame(stored: string | null, commands: readonly string[]): boolean {
  if (stored === null) return false;
  const known = JSON.parse(stored) as string[];
  return known.length === commands.length && known.every((name, index) => name === commands[index]);
}

/** What a decoder must know, from the custom data of a device. */
export function settingsIn(meta: string | null): Pick<KnownTracker, 'timeZone' | 'model'> {
  if (meta === null || !/"(timeZone|model)"/.test(meta)) return {};
  const { timeZone, model } = JSON.parse(meta) as { timeZone?: unknown; model?: unknown };
  return { ...(typeof timeZone === 'string' && { timeZone }), ...(typeof model === 'string' && { model }) };
}
