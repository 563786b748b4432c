import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspectStore, type StoreState } from '@trackway/server/inspect.ts';
import { lockFolder } from '@trackway/server/platform/storage/sqlite/lock.ts';
import type { Settings } from '@trackway/server/settings.ts';
import { dataPlace } from '../data-place.ts';
import { storeFailure } from '../store-failure.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export async function checkDatabase(settings: Settings): Promise<Finding[]> {
  try {
    const state = await inspectStore(settings);
    return [checkMigrations(state, settings), checkAdmin(state, settings)];
  } catch (error) {
    return [fail(storeFailure(error, settings))];
  }
}

function checkMigrations({ exists, due }: StoreState, settings: Settings): Finding {
  const place = dataPlace(settings);
  if (!exists) return ok(`The database will be made at the first start: ${place}.`);
  if (due.length === 0) return ok(`The database opens and is up to date: ${place}.`);
  return warn(
    `The database opens; the next start will bring it up to date with ${due.join(', ')}. Make a backup first.`,
  );
}

function checkAdmin({ users, admins }: StoreState, { adminEmail }: Settings): Finding {
  if (admins > 0) return ok(`There ${admins === 1 ? 'is one admin' : `are ${admins} admins`}.`);
  if (adminEmail) return ok(`The next start will make the admin ${adminEmail}.`);
  const link = users === 0 ? 'open the set-up link that the server prints at its start, or ' : '';
  return warn(`There is no admin yet: ${link}run "trackway user add <email> --admin".`);
}

const SQLITE_BUSY = 5;

/** Whether a server holds the data folder. Undefined where nobody can tell: PostgreSQL lets several in. */
export function isHeld({ data, databaseUrl }: Settings): boolean | undefined {
  if (databaseUrl) return undefined;
  const folder = resolve(data);
  // Trying to lock it would make the folder.
  if (!existsSync(join(folder, 'trackway.lock'))) return false;
  try {
    lockFolder(folder)();
    return false;
  } catch (error) {
    return (error as { cause?: { errcode?: number } }).cause?.errcode === SQLITE_BUSY;
  }
}

export function checkLock(held: boolean | undefined): Finding[] {
  if (held === undefined) return [];
  return [ok(held ? 'A server is running on the data folder.' : 'No server is running on the data folder.')];
}
