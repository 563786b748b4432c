import { resolve } from 'node:path';
import type { Settings } from '@trackway/server/app/settings.ts';
import { addressesOf } from '@trackway/server/platform/storage/postgres/addresses.ts';
import { databaseHost, databaseName } from './data-location.ts';

/** Why the store cannot be opened, as a message for the operator. */
export function storeFailure(error: unknown, settings: Settings): string {
  return settings.databaseUrl
    ? postgresFailure(error as Reason, settings.databaseUrl)
    : folderFailure(error as Reason, resolve(settings.data));
}

interface Reason {
  readonly code?: string;
  /** SQLite's result code. */
  readonly errcode?: number;
  readonly message: string;
}

const CHOOSE = 'Choose another folder with --data or TRACKWAY_DATA.';

const FOLDER: Record<string, (folder: string) => string> = {
  EACCES: (folder) => `Cannot write to the folder ${folder}: permission denied. ${CHOOSE}`,
  EPERM: (folder) => `Cannot write to the folder ${folder}: operation not permitted. ${CHOOSE}`,
  EROFS: (folder) => `Cannot write to the folder ${folder}: the file system is read-only. ${CHOOSE}`,
  ENOENT: (folder) => `Cannot create the folder ${folder}. ${CHOOSE}`,
  ENOTDIR: (folder) => `Cannot create the folder ${folder}: part of the path is a file. ${CHOOSE}`,
  EEXIST: (folder) => `${folder} is a file, not a folder. ${CHOOSE}`,
  ENOSPC: (folder) => `The disk with ${folder} is full.`,
};

const SQLITE: Record<number, (folder: string) => string> = {
  8: (folder) => `Cannot write to the database in ${folder}: it is read-only for this user.`,
  11: (folder) => `The database in ${folder} is damaged. Restore a backup with "trackway restore".`,
  13: (folder) => `The disk with ${folder} is full.`,
  14: (folder) => `Cannot open the database in ${folder}. Check that this user can read and write its files. ${CHOOSE}`,
  26: (folder) => `The file trackway.db in ${folder} is not a database. Restore a backup with "trackway restore".`,
};

function folderFailure({ code = '', errcode = 0, message }: Reason, folder: string): string {
  // The low byte is the primary result code. The higher bytes are details.
  return (FOLDER[code] ?? SQLITE[errcode & 0xff])?.(folder) ?? message;
}

const POSTGRES: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'no response',
  ECONNRESET: 'connection reset',
  ENOENT: 'the socket does not exist',
  '28P01': 'wrong user or password',
  '28000': 'this user is not allowed to connect',
  '3D000': 'the database does not exist',
  '42501': 'the user is not allowed to create tables in this database',
  '53300': 'too many connections',
  '57P03': 'the server is starting up or shutting down',
};

function postgresFailure({ code = '', message }: Reason, url: string): string {
  const place = `PostgreSQL at ${databaseHost(url)}, database ${databaseName(url)}`;
  // Our own errors are already whole sentences. Errors of the driver do not name the server.
  if (code === '' && message.startsWith('The database ')) return message;
  const reason = POSTGRES[code] ?? (/time(d? ?out)/i.test(message) ? 'no response' : withoutPassword(message, url));
  return `Cannot use ${place}: ${reason}. Check TRACKWAY_DATABASE_URL.`;
}

function withoutPassword(message: string, url: string): string {
  return addressesOf(url)
    .map((address) => new URL(address).password)
    .filter((password) => password !== '')
    .reduce(
      (text, password) => text.replaceAll(password, '***').replaceAll(decodeURIComponent(password), '***'),
      message,
    );
}
