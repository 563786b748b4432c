import { isStorableText } from '@trackway/contract/values.ts';
import type { Caller, OwnDevice, OwnDevices } from '../../calls.ts';
import type { Store } from '../schema/tables.ts';
import { isWithinToken } from './access.ts';
import { deviceIdsByKey, ownClaims } from './device-keys.ts';
import { settingsIn } from './known-trackers.ts';

type Column = 'serial' | 'imei' | 'iccid';

const MOST_NAMES = 8;
const MAX_NAME = 64;

/** Finds devices of a caller's own. What is shared with the caller, or an admin could see, is none of them. */
export function ownDevices(store: Store): OwnDevices {
  const ids = deviceIdsByKey(store);
  const claims = ownClaims(store);
  const owned = store.prepare<{ id: number; meta: string | null }>(
    'devices.own',
    'SELECT "id", "meta" FROM "devices" WHERE "id" = ? AND "ownerId" = ? AND "deletedAt" IS NULL',
  );
  const byCard = store.prepare<{ id: number; meta: string | null }>(
    'devices.own.iccid',
    `SELECT "id", "meta" FROM "devices" WHERE "iccid" = ? AND "ownerId" = ? AND "deletedAt" IS NULL
     ORDER BY "id" LIMIT 1`,
  );

  async function ofOwner(column: Column, name: string, userId: number) {
    if (column === 'iccid') return byCard.get(name, userId);
    const id = await ids[column](name);
    const own = id === undefined ? undefined : await owned.get(id, userId);
    if (own !== undefined) return own;
    const claim = await claims[column](name, userId);
    return claim === undefined ? undefined : owned.get(claim, userId);
  }

  async function find(
    caller: Caller,
    names: readonly string[],
    columns: readonly Column[],
  ): Promise<OwnDevice | undefined> {
    for (const name of names.slice(0, MOST_NAMES)) {
      if (name === '' || name.length > MAX_NAME || !isStorableText(name)) continue;
      for (const column of columns) {
        const row = await ofOwner(column, name, caller.userId);
        if (row !== undefined && isWithinToken(caller, row.id))
          return { deviceId: row.id, name, ...settingsIn(row.meta) };
      }
    }
    return undefined;
  }

  return {
    bySerial: (caller, names) => find(caller, names, ['serial']),
    byAnyName: (caller, names) => find(caller, names, ['imei', 'serial', 'iccid']),
  };
}
