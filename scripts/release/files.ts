import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compile, LOADED_LATER, licencesOf } from './compile.ts';

/** Packages that a running server needs. The console is needed only as it is built. */
const PACKAGES = ['contract', 'simulator', 'server', 'client', 'cli'];
/** Files that the sources read beside themselves. */
const BESIDE = 'server/src/edge/http/pages/**/*.{css,html,js,svg}';
const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'SUPPORT.md', 'docs', 'deploy'];

type Manifest = Record<string, unknown> & { name: string; version: string; dependencies?: Record<string, string> };

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Writes what a production machine needs into an empty folder: the compiled server, the built console, documents. */
export async function writeFiles(root: string, folder: string): Promise<void> {
  const compiledIn = await compile(root, folder);
  write(folder, 'shared/LICENSES.txt', licencesOf(compiledIn));
  for (const file of [...globSync(BESIDE, { cwd: root }), ...DOCUMENTS, 'console/dist', 'messages'])
    cpSync(join(root, file), join(folder, file), { recursive: true });
  for (const name of PACKAGES) writeManifest(folder, name, packageManifest(manifestOf(join(root, name))));
  writeManifest(folder, '.', rootManifest(manifestOf(root)));
}

/** Has the manifests name only what must be installed beside the compiled code. */
export function leaveOutCompiledIn(folder: string): void {
  for (const name of PACKAGES) {
    const { dependencies = {}, ...manifest } = manifestOf(join(folder, name));
    const needed = Object.entries(dependencies).filter(
      ([it]) => it.startsWith('@trackway/') || LOADED_LATER.includes(it),
    );
    writeManifest(folder, name, { ...manifest, dependencies: Object.fromEntries(needed) });
  }
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

/** Turns the folder into one npm package with the command `trackway`, which runs nothing when it is installed. */
export function writePackage(root: string, folder: string): void {
  const { name, version, description, license, optionalDependencies } = manifestOf(root);
  const { dependencies = {} } = manifestOf(join(root, 'server'));
  const needed = Object.entries(dependencies).filter(([it]) => LOADED_LATER.includes(it));
  cpSync(join(root, 'scripts/release/launcher.cjs'), join(folder, 'trackway.cjs'));
  writeManifest(folder, '.', {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { trackway: 'trackway.cjs' },
    dependencies: Object.fromEntries(needed),
    optionalDependencies,
  });
}

const writeManifest = (folder: string, name: string, manifest: object) =>
  write(folder, join(name, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

function write(folder: string, file: string, text: string): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
