import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the processes of a test run took of the processor, as they note when they end. */
export class ProcessorTimes {
  /** To preload into them. */
  readonly preload = join(import.meta.dirname, 'note-processor-time.ts');
  readonly #notes: string;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'test-times-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    this.#notes = join(folder, 'notes');
    process.env.TRACKWAY_TEST_TIMES = this.#notes;
  }

  /** Seconds by file. Empty where the system does not tell. */
  read(): Map<string, number> {
    try {
      const lines = readFileSync(this.#notes, 'utf8').trimEnd().split('\n');
      return new Map(lines.map((line) => JSON.parse(line)).map(({ file, seconds }) => [file, seconds]));
    } catch {
      return new Map();
    }
  }
}
