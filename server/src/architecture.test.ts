import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

/** The import rule of ARCHITECTURE.md. */

const ROOT = join(import.meta.dirname, '../..');

/** Which packages a package may import; tests may also start what they test. */
const PACKAGES: Record<string, readonly string[]> = {
  contract: [],
  simulator: [],
  server: ['contract'],
  client: ['contract'],
  console: ['contract', 'client'],
  cli: ['contract', 'client', 'simulator', 'server'],
  e2e: ['contract', 'client', 'simulator'],
  bench: ['contract', 'client', 'simulator'],
};

/** Folders of the domain, highest first: each imports only what stands below it. */
const DOMAIN = [
  ['service'],
  ['tracking'],
  ['triggers'],
  ['geofences'],
  ['motion', 'readings'],
  ['notifications'],
  ['sending'],
  ['messages', 'device-config'],
  ['devices'],
  ['users'],
  ['plans'],
  ['live'],
  ['schema', '.'],
];

/** What stands beside edge, domain and platform: the meeting point that edge and domain share, and the composition. */
const SHARED = ['calls.ts', 'refusals.ts', 'reports.ts'];
const COMPOSITION = ['app.ts', 'store.ts', 'settings.ts', 'inspect.ts'];

interface Import {
  readonly from: string;
  readonly to: string;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g);
  return [...found]
    .map(([, specifier]) => ({ from: file, to: targetOf(file, specifier!) }))
    .filter(({ to }) => to !== '');
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(ROOT, join(ROOT, dirname(file), specifier));
  const own = /^@trackway\/(\w+)\/(.+)$/.exec(specifier);
  return own ? `${own[1]}/src/${own[2]}` : '';
}

const sources = globSync('{contract,simulator,server,client,console,cli,e2e,bench}/src/**/*.{ts,tsx}', { cwd: ROOT });
const isTest = (file: string) => file.endsWith('.test.ts') || file.includes('/testing/');
const imports = sources.flatMap(importsOf);
const told = (found: Import[]) => found.map(({ from, to }) => `${from} → ${to}`);

test('packages import only what the rule allows', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [a, b] = [from.split('/')[0]!, to.split('/')[0]!];
    return a !== b && !PACKAGES[a]!.includes(b) && !(to.startsWith('server/src/testing/') || isTest(from));
  });
  assert.deepEqual(told(wrong), []);
});

test('edge and domain never import each other, platform imports neither', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [a, b] = [layerOf(from), layerOf(to)];
    if (isTest(from) || a === undefined || b === undefined || a === b) return false;
    if (a === 'platform') return true;
    if (b === 'shared' || b === 'platform') return false;
    return a !== 'composition';
  });
  assert.deepEqual(told(wrong), []);
});

test('folders of the domain import only downwards', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [a, b] = [heightOf(from), heightOf(to)];
    return !isTest(from) && a !== undefined && b !== undefined && nounOf(from) !== nounOf(to) && b <= a;
  });
  assert.deepEqual(told(wrong), []);
});

function layerOf(file: string): string | undefined {
  const path = /^server\/src\/(.+)$/.exec(file)?.[1];
  if (path === undefined) return undefined;
  if (SHARED.includes(path)) return 'shared';
  if (COMPOSITION.includes(path)) return 'composition';
  return path.split('/')[0];
}

function nounOf(file: string): string | undefined {
  const path = /^server\/src\/domain\/(.+)$/.exec(file)?.[1];
  if (path === undefined) return undefined;
  return path.includes('/') ? path.split('/')[0] : '.';
}

function heightOf(file: string): number | undefined {
  const noun = nounOf(file);
  if (noun === undefined) return undefined;
  const height = DOMAIN.findIndex((level) => level.includes(noun));
  assert.notEqual(height, -1, `${file}: the folder ${noun} has no place in the import rule`);
  return height;
}
