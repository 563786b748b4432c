import { spawn } from 'node:child_process';

/** Runs a program to its end. Its output is shown only if it fails. */
export function run(command: string, args: readonly string[], cwd: string, environment: Record<string, string> = {}) {
  return new Promise<string>((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...environment } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command} ${args.join(' ')}: exit code ${code}\n${output}`)),
    );
  });
}

/** Whether a program is on this machine. */
export const has = (command: string, args: readonly string[] = ['--version']): Promise<boolean> =>
  run(command, args, '.').then(
    () => true,
    () => false,
  );
