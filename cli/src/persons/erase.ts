import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openVault } from '@trackway/server/app/vault.ts';
import { beginErasure, type Erasure, type ErasureParts, goOnErasing } from '@trackway/server/domain/history/erase.ts';
import { erasureParts, requireNotLastAdmin, shownErasure } from '@trackway/server/domain/history/personal-data.ts';
import type { Store } from '@trackway/server/domain/schema/tables.ts';
import { type Command, Failure } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { settingsOf, storeFlags, storeSettingsOf } from '../setting-flags.ts';
import { findUser, refusalAsFailure } from '../user/operator.ts';
import { findDevice } from './found-device.ts';

interface Subject {
  readonly kind: Erasure['kind'];
  readonly subjectId: number;
  readonly since: number;
  /** The text to type for confirmation. */
  readonly name: string;
}

const quiet = { info() {} };

const commandOf = (
  what: string,
  arg: string,
  named: string,
  find: (store: Store, given: string) => Promise<Subject>,
): Command => ({
  describe: () => ({
    about: `Erase ${what} and everything about it from the database, immediately and permanently. The audit trail is kept. The server can keep running.`,
    args: [arg],
    flags: {
      confirm: { about: `The ${named}, to confirm.`, takes: 'TEXT' },
      record: { about: 'A file for the signed record of what was erased.', takes: 'FILE' },
      ...storeFlags(),
    },
    more: `Archives and backups are not changed. The record names known archives and backups that may contain the data.
To take it out of an archive, run "trackway erase archive FOLDER".`,
  }),

  async run(given) {
    const settings = { ...storeSettingsOf(given), secret: settingsOf(given).values.secret };
    requireDatabase(settings);
    return withStore(settings, async (store) => {
      const { name, ...subject } = await find(store, given.args[0]!);
      if (given.flags.confirm?.trim() !== name.trim())
        throw new Failure(`This cannot be undone. To confirm, add the ${named}: --confirm "${name}"`);
      const parts = erasureParts(store, await openVault(store, settings, quiet));
      const erasure = await refusalAsFailure(() => erase(parts, subject));
      await printResult(erasure, given.flags.record);
      return 0;
    });
  },
});

async function erase(parts: ErasureParts, subject: Omit<Subject, 'name'>): Promise<Erasure> {
  const begun = await beginErasure(parts, subject, null, Date.now());
  return goOnErasing(parts, begun, () => true);
}

async function printResult(erasure: Erasure, file: string | undefined): Promise<void> {
  const { rows, copies, record, signature, publicKey } = shownErasure(erasure);
  const count = Object.values(rows as Record<string, number>).reduce((sum, one) => sum + one, 0);
  console.log(`Erased ${count} rows. The record is erasure ${erasure.id}.`);
  if (copies.length > 0) {
    console.log('\nThese may still hold the data:');
    for (const { kind, place, machine, updated } of copies as CopyShown[])
      console.log(`  ${kind} ${place} on ${machine}, written ${updated}`);
  }
  console.log('\nBackups made by other programs, such as pg_dump, are not listed.');
  if (file === undefined) return;
  await writeFile(resolve(file), `${JSON.stringify({ record, signature, publicKey }, null, 1)}\n`, { mode: 0o600 });
  console.log(`The signed record is in ${resolve(file)}.`);
}

interface CopyShown {
  readonly kind: string;
  readonly place: string;
  readonly machine: string;
  readonly updated: string;
}

export const device = commandOf('a device', 'id', 'name of the device', async (store, given) => {
  const { id, name, firstSeen } = await findDevice(store, given);
  return { kind: 'device', subjectId: id, since: firstSeen, name: name || String(id) };
});

export const user = commandOf('a user, their devices', 'email', 'e-mail address', async (store, given) => {
  const { id, email } = await findUser(store, given);
  await refusalAsFailure(() => requireNotLastAdmin(store, id));
  const { created } = await store.query
    .selectFrom('users')
    .select('created')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { kind: 'user', subjectId: id, since: created, name: email };
});
