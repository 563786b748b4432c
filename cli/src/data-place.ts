import { resolve } from 'node:path';
import type { Settings } from '@trackway/server/settings.ts';

/** Where the data is, in words that never hold a password. */
export function dataPlace({ data, databaseUrl }: Pick<Settings, 'data' | 'databaseUrl'>): string {
  if (!databaseUrl) return resolve(data);
  return `PostgreSQL at ${databaseHost(databaseUrl)}, database ${databaseName(databaseUrl)}`;
}

/** The host as it is in the address; a socket's folder may stand in a parameter instead. */
export function databaseHost(databaseUrl: string): string {
  const { host, searchParams } = new URL(databaseUrl);
  return host || searchParams.get('host') || 'this machine';
}

export const databaseName = (databaseUrl: string) => decodeURIComponent(new URL(databaseUrl).pathname.slice(1)) || '?';
