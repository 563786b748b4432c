import { after, before, describe } from 'node:test';
import {
  type Open,
  onBothEngines as placesOnBothEngines,
  onEitherEngine as placesOnEitherEngine,
  onSqlite as placesOnSqlite,
  type TestDatabasePlace,
} from '../../../server/src/testing/databases.ts';
import { MIGRATIONS } from '../../../server/src/testing/place.ts';
import { type Api, apiOf } from './api.ts';
import { startInProcess } from './server-in-process.ts';
import type { Server } from './server-process.ts';

export type { TestDatabasePlace };

/** A running server and its API; set before the first test of the block. */
export interface Running<S extends Server = Server> {
  readonly engine: Open<unknown>['storeKind'];
  readonly server: S;
  readonly api: Api;
}

/**
 * For tests that call many operations: on PostgreSQL the server refuses statements on tables of devices that do not name
 * their slot, and are not listed as being about many.
 */
export const STRICT_DEVICES = { TRACKWAY_STRICT_DEVICES: '1' };

type Declare<S extends Server> = (running: Running<S>) => void;

/** How to start the server: in this process by default. */
type Start<S extends Server> = (
  engine: Open<unknown>['storeKind'],
  place: TestDatabasePlace,
  settings: Record<string, string>,
) => Promise<S>;

const on =
  (places: typeof placesOnBothEngines) =>
  <S extends Server>(
    name: string,
    declareTests: Declare<S>,
    settings: Record<string, string> = {},
    start?: Start<S>,
  ): void =>
    places(name, { migrations: [] }, (open) => withServer(open, declareTests, settings, start));

/** Declares the same tests for a server on each engine, each with a new database. */
export const onBothEngines = on(placesOnBothEngines);
/** Declares tests whose SQL is the same on both engines: on SQLite in `npm test`, on PostgreSQL in `npm run test:slow`. */
export const onEitherEngine = on(placesOnEitherEngine);
/** Declares tests of what does not depend on the engine. */
export const onOneEngine = on(placesOnSqlite);

function withServer<S extends Server>(
  open: Open<unknown>,
  declareTests: Declare<S>,
  settings: Record<string, string>,
  start = startInProcess as unknown as Start<S>,
): void {
  describe('a server', () => {
    const running: { engine: Open<unknown>['storeKind']; server?: S; api?: Api } = { engine: open.storeKind };
    before(async () => {
      running.server = await start(running.engine, await open.migratedPlace(MIGRATIONS), settings);
      running.api = apiOf(running.server.address);
    });
    // The inner block ends first: the server ends before its database is removed.
    after(async () => {
      running.api?.close();
      await running.server?.stop();
    });
    declareTests(running as Running<S>);
  });
}
