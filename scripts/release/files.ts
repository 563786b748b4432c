import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { namingCompiled, reachable } from './reachable.ts';

const ENTRY = 'cli/src/main.ts';
/** Packages that a running server needs. The console is needed only as it is built. */
const PACKAGES = ['contract', 'simulator', 'server', 'client', 'cli'];
/** Files that the sources read beside themselves. */
const BESIDE = 'server/src/edge/http/pages/**/*.{css,html,js,svg}';
const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'docs'];

type Manifest = Record<string, unknown> & { name: string; version: string };

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Writes what a production machine needs into an empty folder: compiled sources, the built console, documents. */
export function writeFiles(root: string, folder: string): void {
  for (const file of reachable(root, [ENTRY])) {
    const compiled = stripTypeScriptTypes(readFileSync(join(root, file), 'utf8'));
    write(folder, file.replace(/\.ts$/, '.js'), namingCompiled(compiled));
  }
  for (const file of [...globSync(BESIDE, { cwd: root }), ...DOCUMENTS, 'console/dist'])
    cpSync(join(root, file), join(folder, file), { recursive: true });
  for (const name of PACKAGES) writeManifest(folder, name, packageManifest(manifestOf(join(root, name))));
  writeManifest(folder, '.', rootManifest(manifestOf(root)));
}

/** The manifest of a package, without what only its development needs. */
function packageManifest({ devDependencies: _, bin, ...manifest }: Manifest): object {
  return bin === undefined ? manifest : { ...manifest, bin: { trackway: 'src/main.js' } };
}

function rootManifest({ name, version, description, license, optionalDependencies }: Manifest): object {
  return {
    name,
    version,
    private: true,
    description,
    license,
    type: 'module',
    workspaces: PACKAGES,
    scripts: { start: 'node cli/src/main.js serve', trackway: 'node cli/src/main.js' },
    // The version of Node that runs it.
    optionalDependencies,
  };
}

const writeManifest = (folder: string, name: string, manifest: object) =>
  write(folder, join(name, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

function write(folder: string, file: string, text: string): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
