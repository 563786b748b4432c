import { spawn } from 'node:child_process';
import { dirname } from 'node:path';

export const ROOT = dirname(import.meta.dirname);

/** Runs one step of a script with its output in ours, and fails the script if it fails. */
export function step(
  title: string,
  command: string,
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<void> {
  console.log(`\n── ${title}`);
  const started = Date.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...environment } });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      if (code === 0) {
        console.log(`   done in ${seconds} s`);
        resolve();
      } else reject(new Error(`${title}: ${command} ended with ${signal ?? code} after ${seconds} s`));
    });
  });
}

export async function checkTypes(): Promise<void> {
  await step('Types', 'tsc', ['-p', '.']);
  await step('Types of the console', 'tsc', ['-p', 'console']);
}
export const checkStyle = () => step('Lint and format', 'biome', ['check', '--error-on-warnings', '.']);

/** Ends a script with its reason in one line. */
export async function main(script: () => Promise<void>): Promise<void> {
  try {
    await script();
  } catch (error) {
    console.error(`\nFAILED: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
