import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const DEBIAN_NAMES = { x64: 'amd64', arm64: 'arm64' } as const;

export interface DebianParts {
  readonly root: string;
  readonly app: string;
  readonly node: string;
  readonly architecture: string;
  readonly version: string;
  /** Seconds since 1970 that all files have as their time. */
  readonly time: string;
}

/** Makes a package of Debian from a complete server and its Node. */
export function writeDebianPackage(file: string, parts: DebianParts): void {
  const tree = `${file}.tree`;
  const place = (path: string, from: string, mode = 0o644) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    copyFileSync(from, join(tree, path));
    chmodSync(join(tree, path), mode);
  };
  const source = (name: string) => join(parts.root, 'deploy/debian', name);
  rmSync(tree, { recursive: true, force: true });
  cpSync(parts.app, join(tree, 'usr/lib/trackway'), { recursive: true });
  place('usr/lib/trackway/node', parts.node, 0o755);
  place('usr/bin/trackway', source('trackway.sh'), 0o755);
  place('usr/lib/systemd/system/trackway.service', source('trackway.service'));
  place('etc/default/trackway', source('trackway.default'));
  place('usr/share/doc/trackway/copyright', join(parts.root, 'LICENSE'));
  for (const script of ['postinst', 'prerm', 'postrm']) place(`DEBIAN/${script}`, source(script), 0o755);
  writeFileSync(join(tree, 'DEBIAN/conffiles'), '/etc/default/trackway\n');
  const control = readFileSync(source('control'), 'utf8');
  writeFileSync(
    join(tree, 'DEBIAN/control'),
    control.replace('VERSION', parts.version).replace('ARCHITECTURE', parts.architecture),
  );
  // Neither the user who makes it nor their file mode mask shows.
  execFileSync('chmod', ['-R', 'u+rwX,go+rX,go-w', tree]);
  // Only root reads it, because it may hold passwords.
  chmodSync(join(tree, 'etc/default/trackway'), 0o600);
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Zxz', '-z1', tree, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: parts.time },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  rmSync(tree, { recursive: true });
}
