import { Worker } from 'node:worker_threads';

export interface DatabaseCheck {
  /** What is wrong, a line each; empty if nothing is. */
  readonly findings: Promise<string[]>;
  end(): Promise<void>;
}

/**
 * Has SQLite check the structure of a database, in a thread of its own.
 * @param thorough also compares indexes with their tables and looks for rows that refer to nothing
 */
export function checkDatabaseFile(file: string, { thorough = false } = {}): DatabaseCheck {
  const worker = new Worker(new URL('./quick-check-worker.ts', import.meta.url), { workerData: { file, thorough } });
  const findings = new Promise<string[]>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The check was interrupted.')));
  });
  findings.catch(() => {});
  return {
    findings,
    async end() {
      await worker.terminate();
    },
  };
}
