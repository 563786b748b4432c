import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../../server/src/testing/postgres-server.ts';
import { dropCitusDatabase, makeCitusDatabase } from '../../../server/src/testing/storage/citus-places.ts';

/** Places for databases, removed with the trial. */
export interface Places extends AsyncDisposable {
  readonly storeKind: 'sqlite' | 'postgres';
  make(): Promise<string>;
  /** Ends the database server without warning and starts it again. */
  crash?(): Promise<void>;
}

export async function placesOn(storeKind: Places['storeKind']): Promise<Places> {
  return storeKind === 'sqlite' ? folders() : databases();
}

function folders(): Places {
  const made: string[] = [];
  return {
    storeKind: 'sqlite',
    async make() {
      const folder = mkdtempSync(join(tmpdir(), 'trial-'));
      made.push(folder);
      return folder;
    },
    async [Symbol.asyncDispose]() {
      for (const folder of made) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A PostgreSQL that writes durably, unlike that of the tests. */
async function databases(): Promise<Places> {
  const server = await startPostgres({ durable: true });
  return {
    storeKind: 'postgres',
    async make() {
      const name = `trial_${randomBytes(8).toString('hex')}`;
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      return url.href;
    },
    crash: server.crash,
    [Symbol.asyncDispose]: server.stop,
  };
}

/** Databases of the cluster that tests are given, distributed when a server starts on them. */
export async function citusDatabases(): Promise<Places> {
  const made: string[] = [];
  return {
    storeKind: 'postgres',
    async make() {
      const name = `trial_${randomBytes(8).toString('hex')}`;
      made.push(name);
      return makeCitusDatabase(name);
    },
    async [Symbol.asyncDispose]() {
      for (const name of made) await dropCitusDatabase(name);
    },
  };
}
