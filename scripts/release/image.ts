import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { havePackage } from '../debian-package.ts';
import { rootArchive } from '../roots.ts';
import { ROOT } from '../step.ts';

/**
 * Makes a container image for the processor of this machine, from the Debian package in the folder, on a base of Debian
 * packages, because no image registry is needed for them. All of it has the time `time` (seconds since 1970).
 *
 * @returns why this machine cannot do it, if so
 */
export async function writeImage(
  file: string,
  { folder, name, time }: { readonly folder: string; readonly name: string; readonly time: string },
): Promise<string | undefined> {
  for (const tool of ['mmdebstrap', 'buildah']) {
    const isThere = () => existsSync(`/usr/bin/${tool}`);
    await havePackage(tool, isThere, `${tool} is missing`);
    if (!isThere()) return `${tool} is missing`;
  }
  if (spawnSync('unshare', ['--mount', 'true']).status !== 0) return 'only a user who may mount folders can make it';
  const [base, made] = [`localhost/trackway-base-${process.pid}`, `localhost/trackway-made-${process.pid}`];
  const work = mkdtempSync(join(tmpdir(), 'trackway-image-'));
  const buildah = (...words: string[]) =>
    execFileSync('buildah', words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  try {
    const container = buildah('from', 'scratch');
    buildah('add', '--quiet', container, rootArchive('base'), '/');
    buildah('commit', '--quiet', '--rm', '--format=docker', `--timestamp=${time}`, container, base);
    // Steps of the build need no namespace. The format is that of Docker, because the other one has no health check.
    const form = ['--isolation=chroot', '--format=docker', `--timestamp=${time}`, '--build-arg', `BASE=${base}`];
    buildah('bud', '--quiet', ...form, '-f', join(ROOT, 'deploy/Containerfile'), '-t', made, '.');
    buildah('push', '--quiet', made, `docker-archive:${join(work, 'pushed.tar')}`);
    rewrite(work, file, name);
  } finally {
    spawnSync('buildah', ['rmi', '--force', made, base], { stdio: 'ignore' });
    rmSync(work, { recursive: true });
  }
  return undefined;
}

/**
 * Leaves out what differs in each build: names of containers and of temporary images. The layers are compressed, and not
 * the archive, which Podman 4.3 would not read.
 */
function rewrite(work: string, file: string, name: string): void {
  const read = (path: string) => JSON.parse(readFileSync(join(work, path), 'utf8'));
  const write = (path: string, value: object) => writeFileSync(join(work, path), JSON.stringify(value));
  execFileSync('tar', ['-C', work, '-xf', 'pushed.tar'], { cwd: work });
  const [{ Config, Layers }] = read('manifest.json') as [{ Config: string; Layers: string[] }];
  const { created, architecture, os, config, rootfs, history } = read(Config);
  delete config.Hostname;
  for (const entry of history) delete entry.comment;
  write('config.json', { created, architecture, os, config, rootfs, history });
  write('manifest.json', [{ Config: 'config.json', RepoTags: [name], Layers: Layers.map((layer) => `${layer}.gz`) }]);
  for (const layer of Layers) execFileSync('gzip', ['-n', join(work, layer)]);
  const uniform = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u+rw,go+r', '--mtime=@0'];
  const words = ['manifest.json', 'config.json', ...Layers.map((layer) => `${layer}.gz`)];
  execFileSync('tar', ['-C', work, ...uniform, '-cf', file, ...words]);
}
