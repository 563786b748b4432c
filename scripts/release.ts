import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { leaveOutCompiledIn, writeFiles } from './release/files.ts';
import { main, ROOT, step } from './step.ts';

/**
 * Makes the archive for production machines: the compiled server, the built console, and a lockfile of the packages
 * that are loaded beside it. Unpack it, then `npm ci --omit=dev --ignore-scripts && npm start`.
 */
await main(async () => {
  const { values } = parseArgs({
    options: { out: { type: 'string', default: join(ROOT, 'release') }, 'no-build': { type: 'boolean' } },
  });
  const out = resolve(values.out);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const name = `trackway-${version}`;
  const folder = join(out, name);
  const archive = `${folder}.tar.gz`;

  if (!values['no-build']) await step('Build the console', 'vite', ['build', 'console', '--logLevel', 'warn']);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await writeFiles(ROOT, folder);
  writeLockfile(folder);
  // What is compiled in is listed too.
  writeFileSync(`${folder}.sbom.json`, billOfMaterials(folder));
  copyFileSync(`${folder}.sbom.json`, join(folder, 'sbom.json'));
  leaveOutCompiledIn(folder);
  writeLockfile(folder);
  pack(out, name, archive);
  rmSync(folder, { recursive: true });

  const checksum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  writeFileSync(`${archive}.sha256`, `${checksum}  ${name}.tar.gz\n`);
  console.log(`\n${archive}\n${archive}.sha256\n${folder}.sbom.json`);
});

/** What the checkout's lockfile has, without the packages that are gone from the manifests. Nothing is looked up. */
function writeLockfile(folder: string): void {
  for (const file of ['package-lock.json', '.npmrc']) copyFileSync(join(ROOT, file), join(folder, file));
  npm(folder, ['install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit', '--no-fund']);
}

/** In the CycloneDX format. */
function billOfMaterials(folder: string): string {
  const form = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  return npm(folder, ['sbom', ...form, '--package-lock-only', '--omit=dev']);
}

function npm(folder: string, words: readonly string[]): string {
  return execFileSync('npm', words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The same files give the same archive, whoever makes it and whenever. */
function pack(out: string, name: string, archive: string): void {
  const uniform = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u+rwX,go+rX,go-w'];
  const made = execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: ROOT, encoding: 'utf8' }).trim();
  execFileSync('tar', ['-C', out, ...uniform, `--mtime=${made}`, '-I', 'gzip -n', '-cf', archive, name]);
}
