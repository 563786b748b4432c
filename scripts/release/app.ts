import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What packages bring that a running server never reads. */
const UNUSED = ['node_modules/**/*.{ts,cts,mts,map,flow}', 'node_modules/{@trackway,trackway-cli,.bin}'];

/** Copies a release, and installs its packages: complete except for Node. */
export function writeApp(release: string, folder: string): void {
  cpSync(release, folder, { recursive: true });
  npmCi(folder, ['--omit=dev', '--omit=optional']);
  for (const path of globSync(UNUSED, { cwd: folder })) rmSync(join(folder, path), { recursive: true });
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
