import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './step.ts';

const MIRROR = 'http://deb.debian.org/debian';
const SUITE = 'bookworm';
const LEFT_OUT = ['doc', 'man', 'locale', 'info'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);

/** Systems of Debian packages alone, in the place of images from a registry. */
const ROOTS = {
  /** What the server needs to run, and `dpkg`. */
  base: ['--variant=apt', '--include=ca-certificates,libstdc++6'],
  /** Boots. */
  system: ['--variant=apt', '--include=systemd-sysv,dbus,libstdc++6'],
  /** The libraries for another processor; nothing of it runs while it is made. */
  arm64: ['--variant=extract', '--arch=arm64', '--include=libc6,libstdc++6,libgcc-s1'],
};

/** @returns the archive of a system, made once and kept */
export function rootArchive(name: keyof typeof ROOTS): string {
  const cache = join(ROOT, 'node_modules/.cache/install');
  const file = join(cache, `${name}-${SUITE}.tar`);
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const unfinished = join(cache, `unfinished-${process.pid}.tar`);
  execFileSync('mmdebstrap', ['--quiet', ...ROOTS[name], ...LEFT_OUT, SUITE, unfinished, MIRROR], { stdio: 'inherit' });
  renameSync(unfinished, file);
  return file;
}

/** Unpacks a system into a new folder. */
export function unpackRoot(name: keyof typeof ROOTS, work: string): string {
  const folder = mkdtempSync(join(work, `${name}-`));
  execFileSync('tar', ['-C', folder, '-xf', rootArchive(name)]);
  return folder;
}
