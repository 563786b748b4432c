import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { KEY_BYTES, newKey } from './vault.ts';

/** The file with the key, beside the database. */
export const keyFile = (folder: string) => join(folder, 'trackway.key');

const ABOUT = '# Encrypts the secrets in the database. Keep a copy apart from the backups: without it, they are lost.';

/** The current key first, then those that a rotation still needs; undefined where there is no file. */
export function readKeys(file: string): Buffer[] | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => Buffer.from(line, 'base64url'));
  if (keys.length === 0 || keys.some((key) => key.length !== KEY_BYTES))
    throw new Error(`The file ${file} is damaged. Restore it from a copy.`);
  chmodSync(file, 0o600);
  return keys;
}

/** Makes the file. Of several processes that do so at once, all get the key of the first. */
export function makeKeys(file: string): Buffer[] {
  const partial = writePartial(file, [newKey()]);
  try {
    // Unlike a rename, a link never replaces what another process has made.
    linkSync(partial, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(partial);
  }
  return readKeys(file)!;
}

/** Replaces the file as a whole: it is never half written. */
export function replaceKeys(file: string, keys: readonly Buffer[]): void {
  renameSync(writePartial(file, keys), file);
}

function writePartial(file: string, keys: readonly Buffer[]): string {
  const partial = `${file}.${randomBytes(4).toString('hex')}.partial`;
  const handle = openSync(partial, 'wx', 0o600);
  try {
    writeSync(handle, `${[ABOUT, ...keys.map((key) => key.toString('base64url'))].join('\n')}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return partial;
}
