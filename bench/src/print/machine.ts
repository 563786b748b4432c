import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { ROOT } from '../process.ts';

/** Prints the machine and the versions, without which the results mean nothing. */
export function printMachine(): void {
  const [cpu] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  console.log(`Machine: ${cpus().length} cores of ${cpu?.model ?? 'unknown make'}, ${gigabytes} GB`);
  console.log(`Runtime: Node ${process.versions.node} on ${process.platform} ${process.arch}`);
  console.log(`Commit: ${commit()}`);
  console.log(`At: ${new Date().toISOString()}, load average ${loadAverage()}`);
}

export const loadAverage = () =>
  loadavg()
    .map((load) => load.toFixed(1))
    .join(' ');

function commit(): string {
  try {
    const git = (...words: string[]) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();
    const isChanged = git('status', '--porcelain', '--', 'server', 'contract', 'cli', 'bench', 'oracle') !== '';
    return git('rev-parse', '--short', 'HEAD') + (isChanged ? ' with changes' : '');
  } catch {
    return 'unknown';
  }
}
