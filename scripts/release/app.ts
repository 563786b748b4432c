import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { LOADED_LATER } from './compile.ts';

/** What packages bring that a running server never reads. */
const UNUSED = [
  'node_modules/**/*.{ts,cts,mts,map,flow,yml}',
  'node_modules/**/{README,CHANGELOG,HISTORY}*',
  'node_modules/**/.yarn',
  'node_modules/{@trackway,trackway-cli,.bin}',
];

/** Copies a release, and installs its packages: complete except for Node. */
export async function writeApp(release: string, folder: string): Promise<void> {
  cpSync(release, folder, { recursive: true });
  npmCi(folder, ['--omit=dev', '--omit=optional']);
  for (const path of globSync(UNUSED, { cwd: folder })) rmSync(join(folder, path), { recursive: true });
  const required = join(folder, 'required.cjs');
  writeFileSync(required, LOADED_LATER.map((name) => `require('${name}');\nimport('${name}');\n`).join(''));
  const isLoaded = await loadedModules(folder, required);
  for (const file of globSync('node_modules/**/*.{js,cjs,mjs}', { cwd: folder, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !isLoaded(path)) rmSync(path);
  }
  execFileSync('node', [required], { stdio: ['ignore', 'ignore', 'inherit'] });
  rmSync(required);
}

/** Which modules the server can load. Packages also bring their code for browsers and other kinds of modules, and tests. */
async function loadedModules(folder: string, required: string): Promise<(path: string) => boolean> {
  const compiled = globSync('{cli,server,shared}/**/*.js', { cwd: folder }).map((path) => join(folder, path));
  const build = await rolldown({
    input: [...compiled, required],
    platform: 'node',
    // As Node finds modules, and not as bundlers do.
    resolve: { conditionNames: ['node', 'module-sync'], mainFields: ['main'] },
    treeshake: false,
    // What a package imports only if it is installed may be missing.
    logLevel: 'silent',
  });
  const { output } = await build.generate();
  await build.close();
  const found = new Set(output.flatMap((part) => (part.type === 'chunk' ? Object.keys(part.modules) : [])));
  // What such a module loads is not followed, so its package is kept complete.
  const unfollowed = [...found]
    .filter((path) => path.includes('/node_modules/') && /\bcreateRequire\(/.test(readFileSync(path, 'utf8')))
    .map((path) => `${/.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)![0]}/`);
  return (path) => found.has(path) || unfollowed.some((one) => path.startsWith(one));
}

/** Installs Node for a processor, whatever that of this machine is. @returns its executable */
export function installNode(root: string, folder: string, arch: string): string {
  const name = `node-linux-${arch}`;
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { optional: _, ...locked } = packages[`node_modules/${name}`];
  const manifest = { name: 'node-of-a-release', version: '1.0.0', dependencies: { [name]: locked.version } };
  const lock = { ...manifest, lockfileVersion: 3, packages: { '': manifest, [`node_modules/${name}`]: locked } };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  npmCi(folder, ['--force']);
  return join(folder, 'node_modules', name, 'bin/node');
}

function npmCi(folder: string, words: readonly string[]): void {
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['ci', ...quiet, ...words], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}
