import { resolve } from 'node:path';
import type { Settings } from '@trackway/server/settings.ts';
import { databaseHost, databaseName } from './data-place.ts';

/** Why a store can not be opened, as one sentence for its operator. */
export function storeFailure(error: unknown, settings: Settings): string {
  return settings.databaseUrl
    ? postgresFailure(error as Reason, settings.databaseUrl)
    : folderFailure(error as Reason, resolve(settings.data));
}

interface Reason {
  readonly code?: string;
  /** SQLite's own number. */
  readonly errcode?: number;
  readonly message: string;
}

const CHOOSE = 'Choose another with --data or TRACKWAY_DATA.';

const FOLDER: Record<string, (folder: string) => string> = {
  EACCES: (folder) => `The folder ${folder} can not be written to: permission denied. ${CHOOSE}`,
  EPERM: (folder) => `The folder ${folder} can not be written to: not permitted. ${CHOOSE}`,
  EROFS: (folder) => `The folder ${folder} can not be written to: it is on a read-only file system. ${CHOOSE}`,
  ENOENT: (folder) => `The folder ${folder} can not be made there. ${CHOOSE}`,
  ENOTDIR: (folder) => `${folder} can not be a folder: part of its path is a file. ${CHOOSE}`,
  EEXIST: (folder) => `${folder} is a file, not a folder. ${CHOOSE}`,
  ENOSPC: (folder) => `The disk of ${folder} is full.`,
};

const SQLITE: Record<number, (folder: string) => string> = {
  8: (folder) => `The database in ${folder} can not be written to: it is read-only for this user.`,
  11: (folder) => `The database in ${folder} is damaged. Restore a backup: "trackway backup --help" tells how.`,
  13: (folder) => `The disk of ${folder} is full.`,
  14: (folder) => `The database in ${folder} can not be opened. May this user read and write its files? ${CHOOSE}`,
  26: (folder) => `The file trackway.db in ${folder} is no database. Restore a backup, or move the file away.`,
};

function folderFailure({ code = '', errcode = 0, message }: Reason, folder: string): string {
  // The low byte is the kind of error; what is above it tells details.
  return (FOLDER[code] ?? SQLITE[errcode & 0xff])?.(folder) ?? message;
}

const POSTGRES: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of its host can not be looked up now',
  EHOSTUNREACH: 'there is no way to its host',
  ENETUNREACH: 'there is no way to its host',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'it broke off the connection',
  ENOENT: 'its socket is not there',
  '28P01': 'it refuses the user or the password',
  '28000': 'it refuses this user',
  '3D000': 'it has no database of that name',
  '42501': 'the user may not make tables in that database',
  '53300': 'it has no connection left',
  '57P03': 'it is starting or stopping',
};

function postgresFailure({ code = '', message }: Reason, url: string): string {
  const place = `PostgreSQL at ${databaseHost(url)}, database ${databaseName(url)}`;
  // Ours is a whole sentence already; the driver's says neither where nor in plain words.
  if (code === '' && message.startsWith('The database ')) return message;
  const reason =
    POSTGRES[code] ?? (/time(d? ?out)/i.test(message) ? 'it does not answer' : withoutPassword(message, url));
  return `${place} can not be used: ${reason}. Check TRACKWAY_DATABASE_URL.`;
}

function withoutPassword(message: string, url: string): string {
  const { password } = new URL(url);
  if (password === '') return message;
  return message.replaceAll(password, '***').replaceAll(decodeURIComponent(password), '***');
}
