import { parseId } from '@trackway/contract/values.ts';
import type { Caller, Right } from '../../calls.ts';
import type { Store } from '../schema/tables.ts';
import type { DeviceAccess } from './access.ts';
import { deviceIdsByKey, ownClaims } from './device-keys.ts';

/** A device that an identifier names, and what the caller may do with it. */
export interface NamedDevice {
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
