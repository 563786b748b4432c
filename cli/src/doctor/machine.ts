import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Settings } from '@trackway/server/settings.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const NEEDED_NODE = 24;
const LOW_BYTES = 1_000_000_000;
const TOO_LOW_BYTES = 100_000_000;

export function checkNode(running = process.versions.node): Finding {
  if (Number.parseInt(running, 10) >= NEEDED_NODE) return ok(`Node ${running} runs it.`);
  return fail(`Node ${running} is too old: it needs ${NEEDED_NODE}. "npm run trackway" brings its own.`);
}

/** A folder that is not there yet is made at the first start, within the nearest one that is. */
export function checkFolder({ data, databaseUrl }: Settings): Finding[] {
  if (databaseUrl) return [];
  const folder = resolve(data);
  let there = folder;
  while (!existsSync(there)) there = dirname(there);
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
  } catch {
    return [fail(`The folder ${there} can not be written to by this user. Choose another with TRACKWAY_DATA.`)];
  }
  const made = there === folder ? 'can be written to' : 'will be made at the first start';
  return [ok(`The folder ${folder} ${made}.`), checkSpace(there)];
}

function checkSpace(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const sentence = `The disk of the data folder has ${(free / 1_000_000_000).toFixed(1)} GB left.`;
  if (free < TOO_LOW_BYTES) return fail(`${sentence} Make room: a full disk stops every write.`);
  return free < LOW_BYTES ? warn(`${sentence} Make room soon.`) : ok(sentence);
}
