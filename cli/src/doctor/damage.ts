import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Settings } from '@trackway/server/app/settings.ts';
import { readDamage } from '@trackway/server/platform/storage/sqlite/care/damage-record.ts';
import {
  checkDatabaseFile,
  examineLog,
  requireDatabaseOfTraces,
} from '@trackway/server/platform/storage/sqlite/care/examine.ts';
import { databaseFile } from '@trackway/server/platform/storage/sqlite/care/log-file.ts';
import { type Finding, fail, ok } from './finding.ts';

const SHOWN = 5;
const REMEDY = 'Restore a backup with "trackway restore".';

/** Checks every page, index and reference of the embedded database, and whether a part of its log was lost. */
export async function checkDamage({ data, databaseUrl }: Settings, inUse: boolean | undefined): Promise<Finding[]> {
  if (databaseUrl) return [];
  const folder = resolve(data);
  try {
    if (!inUse) requireDatabaseOfTraces(folder);
  } catch (error) {
    return [fail((error as Error).message)];
  }
  if (!existsSync(databaseFile(folder))) return [];
  // The log of a running server keeps changing.
  const losses = [...readDamage(folder).map(({ sentence }) => sentence), ...(inUse ? [] : examineLog(folder))];
  const startedAt = performance.now();
  const found = await checkDatabaseFile(databaseFile(folder), { thorough: true }).findings;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const findings = losses.map((sentence) => fail(`${sentence} ${REMEDY}`));
  if (found.length > 0) findings.push(fail(`The database is damaged: ${found.slice(0, SHOWN).join('; ')}. ${REMEDY}`));
  return findings.length > 0 ? findings : [ok(`The database has no damage (checked in ${seconds} s).`)];
}
