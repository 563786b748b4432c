import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Settings } from '@trackway/server/app/settings.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const REQUIRED_NODE = 24;
const LOW_BYTES = 1_000_000_000;
const TOO_LOW_BYTES = 100_000_000;

export function checkNode(running = process.versions.node): Finding {
  if (Number.parseInt(running, 10) >= REQUIRED_NODE) return ok(`Node ${running} is supported.`);
  return fail(
    `Node ${running} is too old: version ${REQUIRED_NODE} is required. "npm run trackway" uses the version that npm installed.`,
  );
}

/** A missing folder is created at the first start, so the nearest existing parent must be writable. */
export function checkFolder({ data, databaseUrl }: Settings): Finding[] {
  if (databaseUrl) return [];
  const folder = resolve(data);
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch {
    return [fail(`This user cannot write to the folder ${existing}. Choose another folder with TRACKWAY_DATA.`)];
  }
  const state = existing === folder ? 'is writable' : 'will be created at the first start';
  return [ok(`The folder ${folder} ${state}.`), checkSpace(existing)];
}

function checkSpace(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const sentence = `The disk with the data folder has ${(free / 1_000_000_000).toFixed(1)} GB left.`;
  if (free < TOO_LOW_BYTES) return fail(`${sentence} Free up space: nothing can be stored on a full disk.`);
  return free < LOW_BYTES ? warn(`${sentence} Free up space soon.`) : ok(sentence);
}
