import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

/** The import rule of ARCHITECTURE.md. */

const ROOT = join(import.meta.dirname, '../..');

/** Which packages a package may import; tests may also start what they test. */
const PACKAGES: Record<string, readonly string[]> = {
  contract: ['messages'],
  simulator: [],
  server: ['contract'],
  client: ['contract'],
  console: ['contract', 'client', 'messages'],
  cli: ['contract', 'client', 'simulator', 'server'],
  e2e: ['contract', 'client', 'simulator', 'server', 'cli'],
  bench: ['contract', 'client', 'simulator'],
  trials: ['contract', 'client', 'simulator', 'e2e'],
};

/** Folders of the domain, highest first: each imports only what stands below it. */
const DOMAIN = [
  ['service'],
  ['history'],
  ['links', 'reports'],
  ['tracking'],
  ['triggers'],
  ['geofences'],
  ['motion'],
  ['vehicles'],
  ['delivery'],
  ['commands'],
  ['devices'],
  ['users'],
  ['plans'],
  ['live'],
  ['audit'],
  ['.'],
  ['positions'],
  ['schema'],
];

/** Rooms of the engine, highest first, by the same rule. */
const TRACKING = [
  ['api'],
  ['.'],
  ['history'],
  ['intake', 'places', 'replay', 'timers'],
  ['report'],
  ['state'],
  ['evaluate'],
];

/** Folders and files of the console, highest first, by the same rule. */
const CONSOLE = [
  ['main.ts'],
  ['start.tsx'],
  ['link'],
  ['app.tsx'],
  ['signed-in.tsx'],
  ['routes.ts'],
  ['doors.ts'],
  ['pages'],
  ['shell'],
  ['forms'],
  ['map'],
  ['api', 'ui'],
  ['format'],
  ['texts'],
  ['preferences.ts', 'geo'],
  ['store.ts', 'units.ts', 'language.ts'],
];

/** Modules outside edge, domain, platform and app: the interfaces between edge and domain. */
const SHARED = ['calls.ts', 'refusals.ts', 'reports.ts', 'sign-in.ts'];

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
const reported = (found: Import[]) => found.map(({ from, to }) => `${from} → ${to}`);

test('packages import only what the rule allows', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [a, b] = [from.split('/')[0]!, to.split('/')[0]!];
    return a !== b && !PACKAGES[a]!.includes(b) && !(to.startsWith('server/src/testing/') || isTest(from));
  });
  assert.deepEqual(reported(wrong), []);
});

test('edge and domain never import each other, platform imports neither', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [a, b] = [layerOf(from), layerOf(to)];
    if (isTest(from) || a === undefined || b === undefined || a === b) return false;
    if (a === 'platform') return true;
    if (b === 'shared' || b === 'platform') return false;
    return a !== 'composition';
  });
  assert.deepEqual(reported(wrong), []);
});

test('folders of the domain import only downwards', () => {
  assert.deepEqual(upward('server/src/domain/', DOMAIN), []);
});

test('rooms of the engine import only downwards', () => {
  assert.deepEqual(upward('server/src/domain/tracking/', TRACKING), []);
});

test('folders of the console import only downwards', () => {
  assert.deepEqual(upward('console/src/', CONSOLE), []);
});

test('pages of the console do not import each other', () => {
  const pageOf = (file: string) => /^console\/src\/pages\/([^/]+)\//.exec(file)?.[1];
  const wrong = imports.filter(({ from, to }) => {
    const [a, b] = [pageOf(from), pageOf(to)];
    return a !== undefined && b !== undefined && a !== b;
  });
  assert.deepEqual(reported(wrong), []);
});

test('in the console, map/ alone knows the map library', () => {
  const others = sources.filter((file) => file.startsWith('console/src/') && !file.startsWith('console/src/map/'));
  const wrong = others.filter((file) => /'(maplibre-gl|terra-draw)/.test(readFileSync(join(ROOT, file), 'utf8')));
  assert.deepEqual(wrong, []);
});

test('no file imports itself by way of others, types included', () => {
  assert.deepEqual(cycles(imports), []);
});

test('an exported type of the server has a name of its own', () => {
  const files = new Map<string, string[]>();
  for (const file of sources.filter((file) => file.startsWith('server/src/') && !file.endsWith('.test.ts'))) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, name] of text.matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm))
      files.set(name!, [...(files.get(name!) ?? []), file]);
  }
  const shared = [...files].filter(([, places]) => places.length > 1);
  assert.deepEqual(shared, []);
});

test('edge and domain ask `timeNow` for the time, which all nodes of a database agree on', () => {
  const asking = sources.filter(
    (file) =>
      /^server\/src\/(edge|domain)\//.test(file) &&
      !isTest(file) &&
      !file.endsWith('-suite.ts') &&
      readFileSync(join(ROOT, file), 'utf8').includes('Date.now'),
  );
  assert.deepEqual(asking, []);
});

/** Where the database is chosen, or is what the code is about. */
const KNOWS_DATABASE = /^server\/src\/(platform\/storage\/|domain\/schema\/|app\/(settings|store|inspect|move)\.ts)/;

test('the database is known to storage and schema alone: all else asks the dialect of a store or a transaction', () => {
  const knowing = sources.filter(
    (file) =>
      file.startsWith('server/src/') &&
      !isTest(file) &&
      !KNOWS_DATABASE.test(file) &&
      /storeKind|StoreKind|[!=]== '(sqlite|postgres)'|\b(SQLITE|POSTGRES)\b/.test(
        readFileSync(join(ROOT, file), 'utf8'),
      ),
  );
  assert.deepEqual(knowing, []);
});

/** What is ordered or owned by slot, what shows that to operators, and commands about workers. */
const KNOWS_SLOTS =
  /^server\/src\/(platform\/storage\/|domain\/schema\/|domain\/live\/|domain\/service\/(nodes\/|health\.ts|figures\.ts)|app\/(cluster|spread|move)\.ts)/;

test('slots and Citus are known to storage, schema, the live log and the owners of timers alone', () => {
  const knowing = sources.filter(
    (file) =>
      file.startsWith('server/src/') &&
      !isTest(file) &&
      !KNOWS_SLOTS.test(file) &&
      /slot|citus/i.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  assert.deepEqual(knowing, []);
});

function layerOf(file: string): string | undefined {
  const path = /^server\/src\/(.+)$/.exec(file)?.[1];
  if (path === undefined) return undefined;
  if (SHARED.includes(path)) return 'shared';
  if (path.startsWith('app/')) return 'composition';
  return path.split('/')[0];
}

/** Imports between folders below `base` that do not go down. */
function upward(base: string, order: readonly (readonly string[])[]): string[] {
  const folderOf = (file: string) => {
    const [first, ...rest] = file.slice(base.length).split('/');
    return rest.length > 0 || order.some((level) => level.includes(first!)) ? first! : '.';
  };
  const heightOf = (file: string) => {
    const height = order.findIndex((level) => level.includes(folderOf(file)));
    assert.notEqual(height, -1, `${file}: the folder ${folderOf(file)} has no place in the import rule`);
    return height;
  };
  const wrong = imports.filter(({ from, to }) => {
    if (isTest(from) || !from.startsWith(base) || !to.startsWith(base) || folderOf(from) === folderOf(to)) return false;
    return heightOf(to) <= heightOf(from);
  });
  return reported(wrong);
}

/** Groups of files that reach each other (Tarjan's strongly connected components). */
function cycles(edges: readonly Import[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string) => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    stack.push(file);
    for (const other of next.get(file) ?? []) {
      if (!order.has(other)) visit(other);
      if (stack.includes(other)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(other)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group);
  };
  for (const file of next.keys()) if (!order.has(file)) visit(file);
  return found;
}
