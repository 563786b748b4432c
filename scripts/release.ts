import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installNode, writeApp } from './release/app.ts';
import { DEBIAN_NAMES, writeDebianPackage } from './release/debian.ts';
import { leaveOutCompiledIn, writeFiles, writePackage } from './release/files.ts';
import { writeImage } from './release/image.ts';
import { writeSingleFiles } from './release/single-file.ts';
import { main, ROOT, step } from './step.ts';

/**
 * Makes the archive for production machines: the compiled server, the built console, and a lockfile of the packages
 * that are loaded beside it. Unpack it, then `npm ci --omit=dev --ignore-scripts && npm start`. Also makes the npm package
 * with the same files, for `npx trackway` and `npm install -g trackway`; the Helm chart and the add-on for Home Assistant;
 * and, without `--archives`, what brings Node along: the single files, the packages of Debian and the container image. One
 * commit always gives the same files.
 */
await main(async () => {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(ROOT, 'release') },
      'no-build': { type: 'boolean' },
      archives: { type: 'boolean' },
    },
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
  await step('Write the API reference', 'node', ['scripts/docs.ts', folder]);
  writeLockfile(folder);
  // What is compiled in is listed too.
  writeFileSync(`${folder}.sbom.json`, billOfMaterials(folder));
  copyFileSync(`${folder}.sbom.json`, join(folder, 'sbom.json'));
  leaveOutCompiledIn(folder);
  writeLockfile(folder);
  pack(out, name, archive);
  const withNode = values.archives ? [] : await writeWithNode(folder, version);
  if (withNode.some((file) => file.endsWith('.deb'))) {
    const image = `${folder}-image-${DEBIAN_NAMES[process.arch as 'x64']}.tar`;
    const problem = await writeImage(image, {
      folder: out,
      name: `localhost/trackway:${version}`,
      time: commitSeconds(),
    });
    if (problem === undefined) withNode.push(image);
    else console.error(`\n*** The container image is not made: ${problem}. ***\n`);
  }
  const configured = ['helm', 'home-assistant'].map((source) => {
    const file = `${folder}-${source}.tgz`;
    // Helm wants a folder of the name of the chart.
    cpSync(join(ROOT, 'deploy', source), join(out, 'trackway'), { recursive: true });
    pack(out, 'trackway', file);
    rmSync(join(out, 'trackway'), { recursive: true });
    return file;
  });

  // Packages of npm have all files in a folder of this name.
  const packed = `${folder}.tgz`;
  rmSync(join(out, 'package'), { recursive: true, force: true });
  renameSync(folder, join(out, 'package'));
  writePackage(ROOT, join(out, 'package'));
  writeLockfile(join(out, 'package'));
  rmSync(join(out, 'package', '.npmrc'));
  // The only lockfile that npm obeys in an installed package.
  renameSync(join(out, 'package', 'package-lock.json'), join(out, 'package', 'npm-shrinkwrap.json'));
  pack(out, 'package', packed);
  rmSync(join(out, 'package'), { recursive: true });

  const files = [archive, packed, ...withNode, ...configured, `${folder}.sbom.json`];
  const sums = files.map(
    (file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`,
  );
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  for (const file of files) console.log(`${(statSync(file).size / 1e6).toFixed(1).padStart(6)} MB  ${file}`);
});

/** The formats that bring Node along, for both processors. */
async function writeWithNode(folder: string, version: string): Promise<string[]> {
  const work = mkdtempSync(join(tmpdir(), 'trackway-release-'));
  try {
    const app = join(work, 'app');
    await writeApp(folder, app);
    const nodes = (['x64', 'arm64'] as const).map((arch) => ({
      arch,
      node: installNode(ROOT, join(work, arch), arch),
    }));
    const singles = nodes.map(({ arch, node }) => ({ node, file: `${folder}-linux-${arch}` }));
    writeSingleFiles(app, singles);
    const isPossible = existsSync('/usr/bin/dpkg-deb');
    if (!isPossible) console.error('\n*** Packages of Debian are not made: there is no dpkg-deb. ***\n');
    const packages = (isPossible ? nodes : []).map(({ arch, node }) => {
      const architecture = DEBIAN_NAMES[arch];
      const file = join(folder, '..', `trackway_${version}_${architecture}.deb`);
      writeDebianPackage(file, { root: ROOT, app, node, architecture, version, time: commitSeconds() });
      return file;
    });
    return [...singles.map(({ file }) => file), ...packages];
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** What the checkout's lockfile has, without the packages that are gone from the manifests. Nothing is looked up. */
function writeLockfile(folder: string): void {
  for (const file of ['package-lock.json', '.npmrc']) copyFileSync(join(ROOT, file), join(folder, file));
  npm(folder, ['install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit', '--no-fund']);
}

/** In the CycloneDX format, with the time of the commit and without a random number, which would differ in each build. */
function billOfMaterials(folder: string): string {
  const form = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const { serialNumber: _, ...bill } = JSON.parse(npm(folder, ['sbom', ...form, '--package-lock-only', '--omit=dev']));
  bill.metadata.timestamp = commitTime();
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function commitTime(): string {
  return execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: ROOT, encoding: 'utf8' }).trim();
}

/** Seconds since 1970. */
function commitSeconds(): string {
  return String(Date.parse(commitTime()) / 1000);
}

function npm(folder: string, words: readonly string[]): string {
  return execFileSync('npm', words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The same files give the same archive, whoever makes it and whenever. */
function pack(out: string, name: string, archive: string): void {
  const uniform = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u+rwX,go+rX,go-w'];
  execFileSync('tar', ['-C', out, ...uniform, `--mtime=${commitTime()}`, '-I', 'gzip -n', '-cf', archive, name]);
}
