import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { havePackage } from './debian-package.ts';
import { haveGoProgram } from './go-program.ts';
import { firstPage, useServer } from './install/use-server.ts';
import { unpackRoot } from './roots.ts';
import { main, ROOT, step } from './step.ts';

/**
 * Makes a release and installs every format of it in an empty environment. Says what this machine cannot prove. Needs
 * Debian and root for all but the npm package; tools are installed, and base systems kept in `node_modules/.cache`.
 * `-- --release FOLDER WORD…` tests a release that is made already, and the parts whose titles contain a word.
 */

/** This machine cannot prove it. */
class Skipped extends Error {}

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const IMAGE = `localhost/trackway:${version}`;
const ADD_ON = 'localhost/trackway-test-add-on';
const work = mkdtempSync(join(tmpdir(), 'trackway-install-'));
const { values, positionals } = parseArgs({ options: { release: { type: 'string' } }, allowPositionals: true });
const release = values.release ? resolve(values.release) : join(work, 'release');
const file = (suffix: string) => join(release, `trackway${suffix}`);
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const run = (command: string, words: readonly string[], cwd = work) =>
  execFileSync(command, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

const here = (name: string) => ({ TRACKWAY_DATA: join(work, `data-${name}`), HOME: join(work, `home-${name}`) });
const sizeOf = (suffix: string, limit = Number.POSITIVE_INFINITY) => limited(statSync(file(suffix)).size, limit);
const LARGEST = { singleFile: 140e6, image: 120e6, packages: 60e6 };
const limited = (bytes: number, limit: number) => {
  assert.ok(bytes <= limit, `${megabytes(bytes)}, but at most ${megabytes(limit)} are allowed`);
  return megabytes(bytes);
};
const withNote = async (result: Promise<string>, note: string) => `${note}: ${await result}`;

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.16.4';
const KUBERNETES = '1.31';
const KUBERNETES_VALIDATE = '1.37.0';
/** A variant of the chart each, and whether the values are right. */
const CHARTS: readonly [values: readonly string[], isRight: boolean][] = [
  [['existingSecret=of-the-operator'], true],
  [['databaseUrl=postgres://db/trackway', `secret=${'s'.repeat(32)}`, 'publicUrl=https://track.example.com'], true],
  [
    [
      'existingSecret=s',
      'ingress.enabled=true',
      'ingress.className=nginx',
      'ingress.tlsSecret=t',
      'autoscaling.enabled=true',
    ],
    true,
  ],
  [
    [
      'existingSecret=s',
      'trackers.type=ClusterIP',
      'migrations.job=false',
      'settings.TRACKWAY_SMTP_FROM=a@example.com',
    ],
    true,
  ],
  [[], false],
  [['databaseUrl=mysql://db', `secret=${'s'.repeat(32)}`], false],
  [['databaseUrl=postgres://db/trackway', 'secret=short'], false],
  [['existingSecret=s', 'settings.path=x'], false],
];

const PARTS: Record<string, () => string | Promise<string>> = {
  'the same files from a second build': secondBuild,
  'npm package': npmPackage,
  npx,
  'single file, x64': singleFile,
  'single file, arm64': singleFileArm64,
  'package of Debian': debianPackage,
  'hardening of the service': hardening,
  'container image': containerImage,
  container,
  'add-on for Home Assistant': addOn,
  'compose files and Caddyfile': caddyfile,
  'Helm chart': helmChart,
};

await main(async () => {
  const started = Date.now();
  const results: string[] = [];
  try {
    if (!values.release) await step('Release', 'npm', ['run', '-s', 'release', '--', '--out', release]);
    for (const [title, part] of Object.entries(PARTS)) {
      if (positionals.length > 0 && !positionals.some((word) => title.includes(word))) continue;
      console.log(`\n── ${title}`);
      const begun = Date.now();
      const result = await Promise.try(part).catch((error: Error) => {
        if (error instanceof Skipped) return `SKIPPED: ${error.message}`;
        process.exitCode = 1;
        console.error(error);
        return `FAILED: ${error.message.split('\n')[0]}`;
      });
      results.push(`${title}: ${result} (${((Date.now() - begun) / 1000).toFixed(0)} s)`);
      console.log(results.at(-1));
    }
  } finally {
    spawnSync('buildah', ['rmi', '--force', ADD_ON, IMAGE], { stdio: 'ignore' });
    rmSync(work, { recursive: true, force: true });
  }
  console.log(`\n${results.join('\n')}\n${((Date.now() - started) / 60_000).toFixed(1)} minutes`);
});

async function secondBuild(): Promise<string> {
  const again = join(work, 'again');
  const words = ['run', '-s', 'release', '--', '--out', again];
  await step('Release again', 'sh', ['-c', 'umask 077; exec npm "$@"', 'sh', ...words], { TZ: 'Asia/Tokyo' });
  assert.equal(readFileSync(join(again, 'SHA256SUMS'), 'utf8'), readFileSync(join(release, 'SHA256SUMS'), 'utf8'));
  rmSync(again, { recursive: true });
  return 'identical';
}

async function npmPackage(): Promise<string> {
  const prefix = join(work, 'npm');
  run('npm', [
    'install',
    '--global',
    '--prefix',
    prefix,
    '--prefer-offline',
    '--loglevel=error',
    file(`-${version}.tgz`),
  ]);
  const size = run('du', ['-sb', '--exclude=node-linux-*', join(prefix, 'lib/node_modules/trackway/node_modules')]);
  const command = [process.execPath, join(prefix, 'bin/trackway')];
  const served = await useServer(command, here('npm'));
  const demo = await firstPage([...command, 'demo'], here('demo'));
  return `packages ${limited(Number.parseInt(size, 10), LARGEST.packages)}: ${served}, demo ${demo}`;
}

/** What `npx trackway` does, with the packages in the cache of npm. */
function npx(): Promise<string> {
  const words = [
    'exec',
    '--yes',
    '--prefer-offline',
    `--package=${file(`-${version}.tgz`)}`,
    '--',
    'trackway',
    'serve',
  ];
  const cache = run('npm', ['config', 'get', 'cache']).trim();
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, npm_config_cache: cache };
  return firstPage([process.execPath, process.env.npm_execpath!, ...words], { ...here('npx'), ...env });
}

/** In a system that has nothing but libraries. */
async function singleFile(): Promise<string> {
  await need('mmdebstrap');
  const root = unpackRoot('base', work);
  copyFileSync(file(`-${version}-linux-x64`), join(root, 'trackway'));
  const command = ['chroot', root, '/trackway'];
  const env = { TRACKWAY_DATA: '/tmp/data', HOME: '/root' };
  const first = await useServer(command, env);
  return withNote(
    useServer(command, env),
    `${sizeOf(`-${version}-linux-x64`, LARGEST.singleFile)}, unpacked at the first start: ${first}, later`,
  );
}

async function singleFileArm64(): Promise<string> {
  await need('mmdebstrap');
  await need('qemu-user-static', '/usr/bin/qemu-aarch64-static');
  const single = file(`-${version}-linux-arm64`);
  const command = ['qemu-aarch64-static', '-L', unpackRoot('arm64', work), single];
  return withNote(
    useServer(command, here('arm64')),
    `${sizeOf(`-${version}-linux-arm64`, LARGEST.singleFile)}, emulated`,
  );
}

async function debianPackage(): Promise<string> {
  await need('mmdebstrap');
  const root = unpackRoot('system', work);
  const old = file(`_${version}_amd64.deb`);
  const tree = join(work, 'newer');
  run('dpkg-deb', ['--raw-extract', old, tree]);
  const control = readFileSync(join(tree, 'DEBIAN/control'), 'utf8');
  writeFileSync(join(tree, 'DEBIAN/control'), control.replace(/^Version: .*/m, `Version: ${version}+newer`));
  run('dpkg-deb', ['--build', '-Zgzip', '-z1', tree, join(root, 'new.deb')]);
  copyFileSync(old, join(root, 'old.deb'));
  copyFileSync(join(ROOT, 'scripts/install/debian.sh'), join(root, 'test.sh'));
  const size = sizeOf(`_${version}_amd64.deb`);
  if (await boots(root)) return `${size}, installed, upgraded and purged under systemd`;
  run('chroot', [root, 'sh', '/test.sh']);
  return `${size}, installed, upgraded and purged; SKIPPED: the service, as systemd cannot be booted in a namespace here`;
}

/** Boots the system, in which a service runs the test and then ends it. @returns false where that is impossible */
async function boots(root: string): Promise<boolean> {
  await need('systemd-container', '/usr/bin/systemd-nspawn').catch(() => undefined);
  const nspawn = ['--quiet', '--register=no', '--keep-unit', '--private-network', '--console=pipe', '-D', root];
  if (spawnSync('systemd-nspawn', [...nspawn, '/bin/true']).status !== 0) return false;
  const unit = `[Unit]\nSuccessAction=exit\nFailureAction=exit\n[Service]\nType=oneshot\nExecStart=sh /test.sh\nStandardOutput=file:/log\nStandardError=inherit\n`;
  writeFileSync(join(root, 'etc/systemd/system/test.service'), unit);
  const wanted = join(root, 'etc/systemd/system/multi-user.target.wants');
  mkdirSync(wanted, { recursive: true });
  run('ln', ['-s', '../test.service', join(wanted, 'test.service')]);
  spawnSync('systemd-nspawn', [...nspawn, '--boot'], { stdio: 'ignore' });
  if (!existsSync(join(root, 'log'))) return false;
  assert.ok(existsSync(join(root, 'result')), readFileSync(join(root, 'log'), 'utf8'));
  return true;
}

async function hardening(): Promise<string> {
  await need('mmdebstrap');
  if (!existsSync('/usr/bin/systemd-analyze')) throw new Skipped('there is no systemd-analyze');
  const root = unpackRoot('system', work);
  run('dpkg-deb', ['--extract', file(`_${version}_amd64.deb`), root]);
  run('systemd-analyze', ['verify', `--root=${root}`, 'trackway.service']);
  const words = ['security', '--offline=yes', '--threshold=25', `--root=${root}`, 'trackway.service'];
  return run('systemd-analyze', words).trim().split('\n').at(-1)!.replace('→ ', '');
}

async function containerImage(): Promise<string> {
  const name = `-${version}-image-amd64.tar`;
  if (!existsSync(file(name))) throw new Skipped('the release has made none, and has said why');
  await need('podman');
  run('podman', ['load', '--quiet', '--input', file(name)]);
  return `${sizeOf(name, LARGEST.image)}, compressed`;
}

/** Built on the image of the container. */
async function addOn(): Promise<string> {
  run('tar', ['-xf', file(`-${version}-home-assistant.tgz`)]);
  const folder = join(work, 'trackway');
  assert.match(readFileSync(join(folder, 'config.yaml'), 'utf8'), new RegExp(`^version: ${version}$`, 'm'));
  await need('buildah');
  const words = ['bud', '--quiet', '--isolation=chroot', '--format=docker', '--build-arg', `BUILD_FROM=${IMAGE}`];
  run('buildah', [...words, '-t', ADD_ON, folder]);
  const data = join(work, 'add-on');
  mkdirSync(data);
  writeFileSync(
    join(data, 'options.json'),
    JSON.stringify({ settings: [{ name: 'TRACKWAY_NODE_NAME', value: 'add-on' }] }),
  );
  return inContainer(ADD_ON, [`--volume=${data}:/data`], () => {
    assert.ok(existsSync(join(data, 'trackway/trackway.db')));
    return 'healthy, with the options of Home Assistant; not tried in Home Assistant';
  });
}

/** With a root that cannot be written to, and no right at all. */
async function container(): Promise<string> {
  const rights = ['--read-only', '--tmpfs=/tmp', '--cap-drop=all', '--security-opt=no-new-privileges'];
  return inContainer(IMAGE, rights, (exec) => {
    assert.equal(exec('id', '-u').trim(), '10001');
    assert.throws(() => exec('touch', '/data/../file'));
    return 'healthy, without rights and with a read-only root';
  });
}

/** Runs a container until it is healthy and was looked at, and stops it. */
async function inContainer(
  image: string,
  options: readonly string[],
  look: (exec: (...words: string[]) => string) => string,
): Promise<string> {
  await need('podman');
  await need('runc', '/usr/sbin/runc');
  const podman = ['--runtime=runc', '--cgroup-manager=cgroupfs'];
  const limits = ['--ulimit=nofile=1024:1024', '--ulimit=nproc=4096:4096', '--network=none'];
  const name = `trackway-test-${process.pid}`;
  const started = spawnSync('podman', [...podman, 'run', '--detach', '--name', name, ...limits, ...options, image]);
  try {
    if (started.status !== 0) throw new Skipped(`containers cannot run here: ${String(started.stderr).trim()}`);
    // Asks every half second, as the start writes into a log that only podman reads.
    run('sh', [
      '-c',
      `until podman ${podman.join(' ')} healthcheck run ${name} >/dev/null 2>&1; do podman ${podman.join(' ')} exec ${name} true && sleep 0.5 || exit 1; done`,
    ]);
    const found = look((...words) => run('podman', [...podman, 'exec', name, ...words]));
    run('podman', [...podman, 'stop', name]);
    assert.equal(run('podman', [...podman, 'inspect', '--format={{.State.ExitCode}}', name]).trim(), '0');
    return found;
  } finally {
    spawnSync('podman', [...podman, 'rm', '--force', '--volumes', name]);
  }
}

async function caddyfile(): Promise<string> {
  await need('caddy');
  const config = join(ROOT, 'deploy/Caddyfile');
  execFileSync('caddy', ['validate', '--adapter=caddyfile', '--config', config], {
    env: { ...process.env, DOMAIN: 'track.example.com' },
    stdio: 'ignore',
  });
  return 'the Caddyfile is valid; SKIPPED: the compose files are not started, as their images come from a registry';
}

async function need(name: string, command = `/usr/bin/${name}`): Promise<void> {
  const isThere = () => existsSync(command);
  if (process.getuid?.() !== 0) throw new Skipped('only root can do it');
  await havePackage(name, isThere, `${name} is missing`);
  if (!isThere()) throw new Skipped(`${name} cannot be installed`);
}

function helmChart(): string {
  const helm = haveHelm();
  const chart = file(`-${version}-helm.tgz`);
  assert.match(
    run(helm, ['show', 'chart', chart]),
    new RegExp(`^appVersion: ${version}$[^]*^version: ${version}$`, 'm'),
  );
  run(helm, ['lint', '--strict', '--kube-version', KUBERNETES, chart, '--set', 'existingSecret=s']);
  const kinds = new Set<string>();
  const validate = kubernetesValidator();
  for (const [values, isRight] of CHARTS) {
    const words = [
      'template',
      '--kube-version',
      KUBERNETES,
      'trackway',
      chart,
      ...values.flatMap((value) => ['--set', value]),
    ];
    const { status, stdout, stderr } = spawnSync(helm, words, { encoding: 'utf8' });
    assert.equal(status === 0, isRight, `${values.join()}: ${stderr}`);
    if (isRight && validate) validate(stdout);
    for (const [, kind] of stdout.matchAll(/^kind: (\w+)$/gm)) kinds.add(kind!);
  }
  const found = `linted, ${CHARTS.length} sets of values: ${[...kinds].sort().join(', ')}`;
  const compared = validate
    ? 'as the schema of Kubernetes says'
    : 'SKIPPED: the schema of Kubernetes, as pip is missing';
  return `${found}; ${compared}; not installed in a cluster`;
}

function haveHelm(): string {
  const helm = haveGoProgram(HELM);
  if (helm === undefined) throw new Skipped('neither helm nor Go is here');
  return helm;
}

/** Compares objects with the schema of Kubernetes, by a tool from Python's registry. */
function kubernetesValidator(): ((objects: string) => void) | undefined {
  const folder = join(ROOT, `node_modules/.cache/kubernetes-validate-${KUBERNETES_VALIDATE}`);
  if (!existsSync(folder)) {
    const words = ['-m', 'pip', 'install', '--quiet', '--target', folder];
    if (spawnSync('python3', [...words, `kubernetes-validate==${KUBERNETES_VALIDATE}`]).status !== 0) return undefined;
  }
  return (objects) => {
    const rendered = join(work, 'objects.yaml');
    writeFileSync(rendered, objects);
    execFileSync('python3', ['-m', 'kubernetes_validate', '--strict', '-k', KUBERNETES, rendered], {
      env: { ...process.env, PYTHONPATH: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
}
