import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inspectStore, type StoreState } from '@trackway/server/app/inspect.ts';
import type { Settings } from '@trackway/server/app/settings.ts';
import { fullSoon, growthOf } from '@trackway/server/domain/service/growth.ts';
import { lockFolder } from '@trackway/server/platform/storage/sqlite/locks.ts';
import { dataLocation } from '../data-location.ts';
import { storeFailure } from '../store-failure.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export async function checkDatabase(settings: Settings): Promise<Finding[]> {
  try {
    const state = await inspectStore(settings);
    return [checkMigrations(state, settings), checkAdmin(state, settings), ...(await checkGrowth(state, settings))];
  } catch (error) {
    return [fail(storeFailure(error, settings))];
  }
}

function checkMigrations({ exists, due }: StoreState, settings: Settings): Finding {
  const place = dataLocation(settings);
  if (!exists) return ok(`The database will be created at the first start: ${place}.`);
  if (due.length === 0) return ok(`The database is accessible and up to date: ${place}.`);
  return warn(
    `The database is accessible. The next start will apply these migrations: ${due.join(', ')}. ${settings.databaseUrl ? 'Make a backup with pg_dump first.' : 'It makes a backup first.'}`,
  );
}

function checkAdmin({ users, admins }: StoreState, { adminEmail }: Settings): Finding {
  if (admins > 0) return ok(`There ${admins === 1 ? 'is 1 admin' : `are ${admins} admins`}.`);
  if (adminEmail) return ok(`The next start will create the admin ${adminEmail}.`);
  const link = users === 0 ? 'open the setup link that the server prints when it starts, or ' : '';
  return warn(`There is no admin yet. To create one, ${link}run "trackway user add <email> --admin".`);
}

/** How fast the database grows, and when its disk will be full. */
async function checkGrowth({ sizes }: StoreState, { data, databaseUrl }: Settings): Promise<Finding[]> {
  const space = databaseUrl ? undefined : await statfs(resolve(data)).catch(() => undefined);
  const growth = growthOf(sizes, space && space.bavail * space.bsize);
  if (growth.bytesPerDay === null) return [];
  const sentence = fullSoon(growth, Date.now());
  if (sentence !== undefined) return [warn(sentence)];
  const full =
    growth.diskFullAt === null
      ? ''
      : `, and its disk will be full around ${new Date(growth.diskFullAt).toISOString().slice(0, 10)}`;
  return [ok(`The database grows by ${(growth.bytesPerDay / 1e6).toFixed(1)} MB a day${full}.`)];
}

const SQLITE_BUSY = 5;

/** Whether a server uses the data folder. Undefined for PostgreSQL, which several servers can use. */
export function isInUse({ data, databaseUrl }: Settings): boolean | undefined {
  if (databaseUrl) return undefined;
  const folder = resolve(data);
  // Locking would create the folder.
  if (!existsSync(join(folder, 'trackway.lock'))) return false;
  try {
    lockFolder(folder)();
    return false;
  } catch (error) {
    return (error as { cause?: { errcode?: number } }).cause?.errcode === SQLITE_BUSY;
  }
}

export function checkLock(inUse: boolean | undefined): Finding[] {
  if (inUse === undefined) return [];
  return [ok(inUse ? 'A server is using the data folder.' : 'No server is using the data folder.')];
}
