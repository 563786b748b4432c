import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { MAIN } from '../../../server/src/testing/trackway-main.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the `trackway` command to its end, without settings that happen to be set where the tests run. */
export async function runCommand(words: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TRACKWAY_'));
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { ...Object.fromEntries(own), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}
