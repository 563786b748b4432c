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
  ['fixes'],
  ['triggers'],
  ['geofences', 'motion', 'readings'],
  ['notifications'],
  ['forwarding'],
  ['messages', 'device-config'],
  ['devices'],
  ['users'],
  ['plans'],
  ['live'],
  ['schema', '.'],
];

/** Folders and files of the console, highest first: each imports only what stands below it. */
const CONSOLE = [
  ['main.tsx'],
  ['app.tsx'],
  ['routes.ts'],
  ['pages'],
  ['shell'],
  ['forms'],
  ['map'],
  ['api', 'ui'],
  ['format', 'texts'],
  ['preferences.ts', 'geo'],
  ['store.ts', 'units.ts'],
];
/** A folder with more source files than this is split. */
const MOST_FILES = 25;

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

test('folders of the console import only downwards', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [a, b] = [consoleHeightOf(from), consoleHeightOf(to)];
    return a !== undefined && b !== undefined && consolePartOf(from) !== consolePartOf(to) && b <= a;
  });
  assert.deepEqual(told(wrong), []);
});

test('pages of the console do not import each other', () => {
  const pageOf = (file: string) => /^console\/src\/pages\/([^/]+)\//.exec(file)?.[1];
  const wrong = imports.filter(({ from, to }) => {
    const [a, b] = [pageOf(from), pageOf(to)];
    return a !== undefined && b !== undefined && a !== b;
  });
  assert.deepEqual(told(wrong), []);
});

test('in the console, map/ alone knows the map library', () => {
  const wrong = sources.filter(
    (file) =>
      consolePartOf(file) !== undefined &&
      consolePartOf(file) !== 'map' &&
      /'(maplibre-gl|terra-draw)/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  assert.deepEqual(wrong, []);
});

test('no folder of the console has become too full', () => {
  const files = sources.filter((file) => consolePartOf(file) !== undefined);
  const folders = Map.groupBy(files, dirname);
  const full = [...folders].filter(([, those]) => those.length > MOST_FILES);
  assert.deepEqual(
    full.map(([folder, those]) => `${folder}: ${those.length}`),
    [],
  );
});

test('nothing in the console imports itself in a circle, types included', () => {
  const next = Map.groupBy(
    imports.filter(({ from }) => consolePartOf(from) !== undefined),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const follow = (file: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const { to } of next.get(file) ?? []) {
      const circle = follow(to, [...way, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of next.keys()) assert.equal(follow(file, [])?.join(' → '), undefined);
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

function consolePartOf(file: string): string | undefined {
  // A test stands where the file stands that it is about.
  return /^console\/src\/([^/]+)/.exec(file)?.[1]?.replace('.test.ts', '.ts');
}

function consoleHeightOf(file: string): number | undefined {
  const part = consolePartOf(file);
  if (part === undefined) return undefined;
  const height = CONSOLE.findIndex((level) => level.includes(part));
  assert.notEqual(height, -1, `${file}: ${part} has no place in the import rule of the console`);
  return height;
}
