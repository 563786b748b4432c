import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { CATALOGS } from '@trackway/contract/messages/generated/catalogs.ts';
import { PARTS } from '../../build/messages.ts';

const CONSOLE = join(import.meta.dirname, '..');
const SERVER = join(CONSOLE, '../../server/src');

/** Their keys are names of the contract, for each of which there must be a text. */
const BY_CONTRACT = ['auditActions', 'channels', 'errors', 'events', 'reasons', 'reportWords'];

const sourcesOf = (folder: string) =>
  globSync('**/*.{ts,tsx}', { cwd: folder, exclude: ['**/*.test.ts'] }).map((file) =>
    readFileSync(join(folder, file), 'utf8'),
  );

test('every message is used', () => {
  const sources = [...sourcesOf(CONSOLE), ...sourcesOf(SERVER)];
  const unused = Object.entries(CATALOGS.en).flatMap(([area, texts]) => {
    if (BY_CONTRACT.includes(area)) return [];
    const speaking = sources
      .filter((source) => new RegExp(`\\b${area}\\b|ui/words|\\./words\\.ts`).test(source))
      .join('\n');
    return Object.keys(texts)
      .filter((key) => !new RegExp(`\\b${key}\\b`).test(speaking))
      .map((key) => `${area}.${key}`);
  });
  assert.deepEqual(unused, []);
});

/** The file, and what it imports before it runs. */
function loadedWith(file: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(file)) return found;
  const source = readFileSync(file, 'utf8').replaceAll(/^import type [^;]*;|\/\*\*.*?\*\//gms, '');
  found.set(file, source);
  for (const [, specifier] of source.matchAll(/^(?:import|export)[^;']*'(\.[^']+\.tsx?)';/gm))
    loadedWith(resolve(dirname(file), specifier!), found);
  return found;
}

/** The frame of the console and its list of pages are loaded with the first part too. */
const START = [
  'start.tsx',
  'signed-in.tsx',
  'pages/sign-in/sign-in.tsx',
  ...globSync('pages/by-mail/*-page.tsx', { cwd: CONSOLE }),
];
const PAGES = { start: START, link: ['link/start.tsx', 'link/link-map.tsx'] };

for (const [part, pages] of Object.entries(PAGES))
  test(`the pages of the part "${part}" use no message of another one`, () => {
    const keys = PARTS[part]!;
    const used = pages
      .flatMap((page) => [...loadedWith(join(CONSOLE, page))])
      .flatMap(([file, source]) =>
        [...source.matchAll(/\bt\.(?!ts\b)(\w+)(?:\.(\w+))?/g)].map(([, area, key]) => [file, area!, key] as const),
      );
    const missing = used.filter(([, area, key]) => !keys.includes(area) && !keys.includes(`${area}.${key}`));
    assert.deepEqual(missing, []);
  });
