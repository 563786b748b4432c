import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { reachable } from '../release/reachable.ts';

const ENTRY = 'client/src/index.ts';
/** What the package is made of; the contract is inside it. */
const PARTS = /^(client|contract)\/src\//;

/**
 * Writes the package of the client into an empty folder: plain JavaScript with declarations of its types, since Node
 * strips no types in node_modules. The contract is part of it; dependencies are those of the contract that these files import.
 */
export function writePackage(root: string, folder: string): void {
  const declarations = mkdtempSync(join(tmpdir(), 'client-types-'));
  try {
    const files = reachable(root, [ENTRY]);
    const sources = files.map((file) => readFileSync(join(root, file), 'utf8'));
    write(folder, 'package.json', `${JSON.stringify(manifest(root, sources), null, 2)}\n`);
    declare(root, files, declarations);
    for (const file of files) {
      const place = placeOf(file);
      const compiled = stripTypeScriptTypes(readFileSync(join(root, file), 'utf8'));
      write(folder, place.replace(/\.ts$/, '.js'), placed(compiled, place));
      const types = file.replace(/\.ts$/, '.d.ts');
      write(folder, placeOf(types), placed(readFileSync(join(declarations, types), 'utf8'), place));
    }
  } finally {
    rmSync(declarations, { recursive: true });
  }
  copyFileSync(join(root, 'client/README.md'), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** `client/src/x.ts` is `x.ts`, `contract/src/x.ts` is `contract/x.ts`. */
function placeOf(file: string): string {
  if (!PARTS.test(file)) throw new Error(`${file} is not part of the client`);
  return file.replace(/^client\/src\//, '').replace(/^contract\/src\//, 'contract/');
}

/** The same text with the names of modules as they are in the package. */
const placed = (text: string, place: string) =>
  text.replaceAll(/(from |import |import\()(['"])([^'"]+\.ts)\2/g, (_, before, quote, name: string) => {
    const inContract = /^@trackway\/contract\/(.+)$/.exec(name)?.[1];
    const to = inContract === undefined ? name : relative(dirname(place), `contract/${inContract}`);
    const named = to.startsWith('.') ? to : `./${to}`;
    return `${before}${quote}${named.replace(/\.ts$/, '.js')}${quote}`;
  });

/** Every file is named, since what is reached by the name of a package is not the compiler's to declare. */
function declare(root: string, files: readonly string[], out: string): void {
  const config = join(out, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: out,
    rootDir: root,
    types: [],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions,
    include: [],
    files: files.map((file) => join(root, file)),
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', config], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

function manifest(root: string, sources: readonly string[]): object {
  const read = (name: string) => JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'));
  const isImported = (dependency: string) => sources.some((text) => text.includes(`from '${dependency}`));
  const { name, version, license } = read('client');
  return {
    name,
    version,
    description: 'The typed client of Trackway, the open device-tracking platform.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.3' },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    files: ['**/*.js', '**/*.d.ts'],
    dependencies: Object.fromEntries(
      Object.entries(read('contract').dependencies).filter(([dependency]) => isImported(dependency)),
    ),
    keywords: ['trackway', 'tracking', 'gps', 'iot', 'api', 'client'],
  };
}

function write(folder: string, file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}
