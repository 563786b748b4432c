import { text } from 'node:stream/consumers';
import { randomSecret } from '@trackway/server/platform/secrets.ts';
import { Failure, type Flags, type Given, UsageError } from '../command.ts';
import { askHidden } from './ask-hidden.ts';

export const passwordFlags: Flags = {
  'password-stdin': { about: 'Read the password from standard input.' },
  generate: { about: 'Generate a password and print it.' },
};

const GENERATED_LENGTH = 20;

/** Gets a password. There is no flag for its value, since flags are visible in the list of processes. */
export async function choosePassword({ flags }: Given): Promise<{ password: string; isGenerated: boolean }> {
  const generate = flags.generate === 'true';
  const fromInput = flags['password-stdin'] === 'true';
  if (generate && fromInput) throw new UsageError('--generate and --password-stdin cannot be combined.');
  if (generate) return { password: randomSecret(GENERATED_LENGTH), isGenerated: true };
  if (fromInput) return { password: (await text(process.stdin)).replace(/\r?\n$/, ''), isGenerated: false };
  if (!process.stdin.isTTY)
    throw new UsageError('Cannot prompt for a password without a terminal. Use --password-stdin or --generate.');
  const password = await askHidden('Password: ');
  if ((await askHidden('Repeat password: ')) !== password) throw new Failure('The passwords do not match.');
  return { password, isGenerated: false };
}
