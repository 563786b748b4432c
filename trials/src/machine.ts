import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { ROOT } from './root.ts';

/** Where and on what it ran, without which the figures mean nothing. */
export function machine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return [
    `Last written ${new Date().toISOString()}`,
    `${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown make'}, ${gigabytes} GB`,
    `Node ${process.versions.node} on ${process.platform} ${process.arch}`,
  ].join('; ');
}

/** Of the code that was tried. */
export function commit(): string {
  try {
    const git = (...words: string[]) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();
    const isChanged = git('status', '--porcelain', '--', 'server', 'contract', 'cli') !== '';
    return git('rev-parse', '--short', 'HEAD') + (isChanged ? ' with changes' : '');
  } catch {
    return 'unknown';
  }
}
