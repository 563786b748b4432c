import { resolve } from 'node:path';
import type { Settings } from '@trackway/server/app/settings.ts';
import { addressesOf } from '@trackway/server/platform/storage/postgres/addresses.ts';

/** Describes where the data is stored, without passwords. */
export function dataLocation({ data, databaseUrl }: Pick<Settings, 'data' | 'databaseUrl'>): string {
  if (!databaseUrl) return resolve(data);
  return `PostgreSQL at ${databaseHost(databaseUrl)}, database ${databaseName(databaseUrl)}`;
}

/** The host of the URL, or the hosts. For a Unix socket, its folder is in a query parameter instead. */
export const databaseHost = (databaseUrl: string): string =>
  addressesOf(databaseUrl)
    .map((address) => {
      const { host, searchParams } = new URL(address);
      return host || searchParams.get('host') || 'this machine';
    })
    .join(' or ');

export const databaseName = (databaseUrl: string) =>
  decodeURIComponent(new URL(addressesOf(databaseUrl)[0]!).pathname.slice(1)) || '?';
