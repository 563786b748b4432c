import { after, before, describe } from 'node:test';
import type { StoreKind } from '../../../server/src/platform/storage/store-kind.ts';
import { onBothEngines as placesOnBothEngines, type TestDatabasePlace } from '../../../server/src/testing/databases.ts';
import { type Api, apiOf } from './api.ts';
import { type ServerProcess, startServer } from './server-process.ts';

export type { TestDatabasePlace };

/** A running server and the way to talk to it; filled in before the first test of the block. */
export interface Running {
  readonly engine: StoreKind;
  readonly server: ServerProcess;
  readonly api: Api;
}

/** Declares the same tests for a server on each engine, each with a database that was empty at the start. */
export function onBothEngines(
  name: string,
  declareTests: (running: Running) => void,
  settings: Record<string, string> = {},
): void {
  placesOnBothEngines(name, { migrations: [] }, (open) => {
    describe('a server', () => {
      const running: { engine: StoreKind; server?: ServerProcess; api?: Api } = { engine: open.storeKind };
      before(async () => {
        running.server = await startServer(running.engine, await open.emptyPlace(), settings);
        running.api = apiOf(running.server.address);
      });
      // The inner block ends first: the server is gone before its database is.
      after(async () => {
        running.api?.close();
        await running.server?.stop();
      });
      declareTests(running as Running);
    });
  });
}
