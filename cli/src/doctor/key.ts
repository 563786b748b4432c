import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Settings } from '@trackway/server/app/settings.ts';
import { keyFile } from '@trackway/server/platform/vault.ts';
import { type Finding, ok, warn } from './finding.ts';

/** The location of the key that encrypts the secrets in the database. */
export function checkKey({ secret, data, databaseUrl }: Settings): Finding[] {
  if (secret !== '') return [ok('Secrets in the database are encrypted with TRACKWAY_SECRET.')];
  const file = keyFile(resolve(data));
  const stat = statSync(file, { throwIfNoEntry: false });
  const findings: Finding[] = [];
  if (databaseUrl)
    findings.push(
      warn(
        `The key that encrypts secrets in PostgreSQL is only in the file ${file} on this machine. Set TRACKWAY_SECRET: other servers of this database need the same key, and without it the secrets are lost if this machine is lost.`,
      ),
    );
  if (stat === undefined)
    return [...findings, ok(`The key that encrypts secrets will be created at the first start: ${file}.`)];
  const isOpen = process.platform !== 'win32' && (stat.mode & 0o077) !== 0;
  if (isOpen) findings.push(warn(`Others can read the key ${file}. Run: chmod 600 ${file}`));
  return [
    ...findings,
    ok(`Secrets in the database are encrypted with the key ${file}. Keep a copy outside the backups.`),
  ];
}
