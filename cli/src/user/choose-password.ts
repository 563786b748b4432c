import { text } from 'node:stream/consumers';
import { randomSecret } from '@trackway/server/platform/secrets.ts';
import { Failure, type Flags, type Given, UsageError } from '../command.ts';
import { askUnseen } from './ask-unseen.ts';

export const passwordFlags: Flags = {
  'password-stdin': { about: 'Read the password from standard input.' },
  generate: { about: 'Make up a password and print it once.' },
};

const GENERATED_LENGTH = 20;

/** A flag would show in the list of processes, so a password comes by any way but that. */
export async function choosePassword({ flags }: Given): Promise<{ password: string; told: boolean }> {
  const generate = flags.generate === 'true';
  const fromInput = flags['password-stdin'] === 'true';
  if (generate && fromInput) throw new UsageError('--generate and --password-stdin exclude each other.');
  if (generate) return { password: randomSecret(GENERATED_LENGTH), told: true };
  if (fromInput) return { password: (await text(process.stdin)).replace(/\r?\n$/, ''), told: false };
  if (!process.stdin.isTTY)
    throw new UsageError('There is no terminal to ask for the password: use --password-stdin or --generate.');
  const password = await askUnseen('Password: ');
  if ((await askUnseen('The same again: ')) !== password) throw new Failure('These are two different passwords.');
  return { password, told: false };
}
