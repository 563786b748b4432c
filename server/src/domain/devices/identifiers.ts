import { isStorableText, parseId } from '@trackway/contract/values.ts';
import type { Caller, OwnDevice, OwnDevices, Right } from '../../calls.ts';
import type { Store } from '../schema/tables.ts';
import { type DeviceAccess, isWithinToken } from './access.ts';
import { deviceIdsByKey, ownClaims } from './device-keys.ts';
import { settingsIn } from './known-trackers.ts';

/** A device that an identifier names, and what the caller may do with it. */
interface NamedDevice {
  readonly deviceId: number;
  readonly right: Right;
}

export type FindNamed = (caller: Caller, identifier: string) => Promise<NamedDevice | undefined>;

/** Identifiers are not longer than this, with their prefix. */
const MAX_LENGTH = 100;

/**
 * Finds the device that an identifier names: `id:7`, `imei:…` or `serial:…`. Without a prefix it is an id, if the caller
 * may see a device of that id, else a serial number, else an IMEI. What the caller may not see is not found.
 */
export function deviceIdentifiers(store: Store, access: Pick<DeviceAccess, 'rightOn'>): FindNamed {
  const ids = deviceIdsByKey(store);
  const claims = ownClaims(store);

  return async (caller, identifier) => {
    const seen = async (deviceId: number | undefined): Promise<NamedDevice | undefined> => {
      const right = deviceId === undefined ? undefined : await access.rightOn(caller, deviceId);
      return right === undefined ? undefined : { deviceId: deviceId!, right };
    };
    const withId = (text: string) => seen(parseId(text));
    const withSerial = async (text: string) =>
      (await seen(await ids.serial(text))) ?? seen(await claims.serial(text, caller.userId));
    const withImei = async (text: string) =>
      (await seen(await ids.imei(text))) ?? seen(await claims.imei(text, caller.userId));

    const text = identifier.trim();
    if (text === '' || text.length > MAX_LENGTH || !text.isWellFormed() || text.includes('\0')) return undefined;
    const [, prefix, remaining] = /^(id|imei|serial):(.*)$/is.exec(text) ?? [];
    switch (prefix?.toLowerCase()) {
      case 'id':
        return withId(remaining!);
      case 'serial':
        return withSerial(remaining!);
      case 'imei':
        return withImei(remaining!);
      default:
        return (await withId(text)) ?? (await withSerial(text)) ?? (await withImei(text));
    }
  };
}

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
