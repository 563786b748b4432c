import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type DataExport, dataExports } from '@trackway/server/domain/history/export-data.ts';
import type { Store } from '@trackway/server/domain/schema/tables.ts';
import { type Command, Failure, UsageError } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';
import { findUser } from '../user/operator.ts';
import { findDevice } from './found-device.ts';

const OPERATOR = 'operator';

const commandOf = (what: string, arg: string, make: (store: Store, given: string) => Promise<DataExport>): Command => ({
  describe: () => ({
    about: `Write everything stored about ${what} to a ZIP archive: JSON Lines for each kind of data, and tracks as GPX. Secrets are omitted. The server can keep running.`,
    args: [arg],
    flags: { to: { about: 'The file. An existing one is never overwritten.', takes: 'FILE' }, ...storeFlags() },
  }),

  async run(given) {
    if (given.flags.to === undefined) throw new UsageError('Missing flag: --to FILE');
    const settings = storeSettingsOf(given);
    requireDatabase(settings);
    const file = resolve(given.flags.to);
    if (existsSync(file)) throw new Failure(`The file ${file} already exists. Choose another name.`);
    return withStore(settings, async (store) => {
      const { bytes } = await make(store, given.args[0]!);
      try {
        await pipeline(bytes, createWriteStream(`${file}.new`, { mode: 0o600 }));
        await rename(`${file}.new`, file);
      } catch (error) {
        await rm(`${file}.new`, { force: true });
        throw new Failure(`Cannot write the file ${file}: ${(error as Error).message}.`, { cause: error });
      }
      console.log(`Exported to ${file} (${((await stat(file)).size / 1_000_000).toFixed(1)} MB).`);
      return 0;
    });
  },
});

export const device = commandOf('a device', 'id', async (store, given) =>
  dataExports(store).ofDevice((await findDevice(store, given)).id, OPERATOR),
);

export const user = commandOf('a user and their devices', 'email', async (store, given) =>
  dataExports(store).ofUser((await findUser(store, given)).id, OPERATOR),
);
