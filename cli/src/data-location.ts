import { resolve } from 'node:path';
import type { Settings } from '@trackway/server/settings.ts';

/** Where the data is stored, in words that never contain a password. */
export function dataLocation({ data, databaseUrl }: Pick<Settings, 'data' | 'databaseUrl'>): string {
  if (!databaseUrl) return resolve(data);
  return `PostgreSQL at ${databaseHost(databaseUrl)}, database ${databaseName(databaseUrl)}`;
}

/** The host of the URL. For a Unix socket, its folder is in a query parameter instead. */
export function databaseHost(databaseUrl: string): string {
  const { host, searchParams } = new URL(databaseUrl);
  return host || searchParams.get('host') || 'this machine';
}

export const databaseName = (databaseUrl: string) => decodeURIComponent(new URL(databaseUrl).pathname.slice(1)) || '?';
