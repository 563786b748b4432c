import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { erasurePublicKey, isSigned } from '@trackway/server/domain/history/erase.ts';
import { type Command, Failure } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';

export const command: Command = {
  describe: () => ({
    about: 'Check that the record of an erasure was signed by this installation and has not been changed since.',
    args: ['file'],
    flags: storeFlags(),
    more: 'The file is what "trackway erase … --record" wrote, or an erasure as returned by the API.',
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    requireDatabase(settings);
    const { record, signature } = await recordIn(resolve(given.args[0]!));
    const key = await withStore(settings, erasurePublicKey);
    if (key === undefined || !isSigned(record, signature, key))
      throw new Failure('The record is not valid: it was changed, or another installation signed it.');
    const { kind, subject, completedAt } = JSON.parse(record) as Record<string, string>;
    console.log(`The record is valid: this installation erased the ${kind} ${subject} on ${completedAt}.`);
    return 0;
  },
};

async function recordIn(file: string): Promise<{ record: string; signature: string }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new Failure(`Cannot read the file ${file}: ${(error as Error).message}.`, { cause: error });
  }
  try {
    const { record, signature } = JSON.parse(text) as { record: unknown; signature: unknown };
    if (typeof record === 'string' && typeof signature === 'string') return { record, signature };
  } catch {
    // Reported below.
  }
  throw new Failure(`The file ${file} is not the record of an erasure.`);
}
