import { after, before, describe } from 'node:test';
import {
  type Open,
  onBothEngines as placesOnBothEngines,
  onSqlite as placesOnSqlite,
  type TestDatabasePlace,
} from '../../../server/src/testing/databases.ts';
import { MIGRATIONS } from '../../../server/src/testing/place.ts';
import { type Api, apiOf } from './api.ts';
import { type ServerProcess, startServer } from './server-process.ts';

export type { TestDatabasePlace };

/** A running server and its API; set before the first test of the block. */
export interface Running {
  readonly engine: Open<unknown>['storeKind'];
  readonly server: ServerProcess;
  readonly api: Api;
}

/**
 * For tests that call many operations: on PostgreSQL the server refuses statements on tables of devices that do not name
 * their slot, and are not listed as being about many.
 */
export const STRICT_SLOTS = { TRACKWAY_STRICT_SLOTS: '1' };

type Declare = (running: Running) => void;

/** Declares the same tests for a server on each engine, each with a new database. */
export function onBothEngines(name: string, declareTests: Declare, settings: Record<string, string> = {}): void {
  placesOnBothEngines(name, { migrations: [] }, (open) => withServer(open, declareTests, settings));
}

/** Declares tests of what does not depend on the engine. */
export function onOneEngine(name: string, declareTests: Declare, settings: Record<string, string> = {}): void {
  placesOnSqlite(name, { migrations: [] }, (open) => withServer(open, declareTests, settings));
}

function withServer(open: Open<unknown>, declareTests: Declare, settings: Record<string, string>): void {
  describe('a server', () => {
    const running: { engine: Open<unknown>['storeKind']; server?: ServerProcess; api?: Api } = {
      engine: open.storeKind,
    };
    before(async () => {
      running.server = await startServer(running.engine, await open.migratedPlace(MIGRATIONS), settings);
      running.api = apiOf(running.server.address);
    });
    // The inner block ends first: the server ends before its database is removed.
    after(async () => {
      running.api?.close();
      await running.server?.stop();
    });
    declareTests(running as Running);
  });
}
