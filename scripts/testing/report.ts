import { relative } from 'node:path';
import { ROOT } from '../step.ts';
import type { FromWorker } from './worker.ts';
import type { Listener } from './workers.ts';

const SLOWEST_SHOWN = 10;
/** Of what a failed file printed. */
const MAX_PRINTED = 20_000;
const IN_BROWSER = 'console in Chromium';
/** More failed files than this are no coincidence. */
const MAX_REPEATED = 3;

/** A result with the names of the blocks it is in, the outermost first. */
interface Found {
  path: string[];
  nesting: number;
  readonly text: string;
}

interface FileResult {
  readonly file: string;
  readonly area: string;
  readonly startedAt: number;
  readonly failures: Found[];
  readonly skips: Found[];
  printed: string;
  passed: number;
  seconds: number;
  cpuSeconds: number;
}

/** Prints a line for each area when all of its files are done, and everything else at the end. */
export class Report implements Listener {
  readonly #results = new Map<string, FileResult>();
  readonly #left = new Map<string, number>();
  /** First results of files that are repeated. */
  readonly #first: FileResult[] = [];
  readonly #isVerbose: boolean;
  readonly #startedAt = performance.now();

  /** @param isVerbose prints every test as it ends, and what files print */
  constructor(files: readonly string[], isVerbose: boolean) {
    this.#isVerbose = isVerbose;
    for (const file of files) this.#left.set(areaOf(file), (this.#left.get(areaOf(file)) ?? 0) + 1);
  }

  started(file: string): void {
    const empty = { failures: [], skips: [], printed: '', passed: 0, seconds: 0, cpuSeconds: 0 };
    this.#results.set(file, { file, area: areaOf(file), startedAt: performance.now(), ...empty });
  }

  received(file: string, message: FromWorker): void {
    const result = this.#results.get(file)!;
    if (message.is === 'test') this.#note(result, message);
    else if (message.is === 'trouble') result.failures.push({ path: [], nesting: 0, text: message.message });
    else {
      result.cpuSeconds = message.cpuSeconds;
      this.#ended(result);
    }
  }

  printed(file: string, text: string): void {
    if (this.#isVerbose) process.stdout.write(text);
    else {
      const result = this.#results.get(file)!;
      result.printed = (result.printed + text).slice(-MAX_PRINTED);
    }
  }

  failed(file: string, reason: string): void {
    const result = this.#results.get(file)!;
    const wasEnded = result.seconds > 0;
    result.failures.push({ path: [], nesting: 0, text: reason });
    if (!wasEnded) this.#ended(result);
  }

  /**
   * Failed files, which will run again; none if more than a few failed. Their first results are printed at the end in any
   * case.
   */
  repeat(): string[] {
    const failed = [...this.#results.values()].filter((one) => one.failures.length > 0);
    if (failed.length > MAX_REPEATED) return [];
    this.#first.push(...failed);
    for (const [area, files] of Map.groupBy(failed, (one) => one.area)) this.#left.set(area, files.length);
    return failed.map(({ file }) => file);
  }

  #note(result: FileResult, { name, nesting, ms, failure, skipped, isBlock }: FromWorker & { is: 'test' }): void {
    // Results arrive before the result of the block they are in.
    if (nesting > 0)
      for (const found of [...result.failures, ...result.skips])
        if (found.nesting === nesting + 1) {
          found.path.unshift(name);
          found.nesting = nesting;
        }
    if (failure !== undefined) result.failures.push({ path: [name], nesting, text: failure });
    else if (skipped !== undefined) result.skips.push({ path: [name], nesting, text: skipped });
    else if (!isBlock) result.passed++;
    if (!this.#isVerbose || nesting === 0) return;
    const sign = failure !== undefined ? '✖' : skipped !== undefined ? '﹣' : isBlock ? '▸' : '✔';
    console.log(`${'  '.repeat(nesting - 1)}${sign} ${name} (${ms.toFixed(0)} ms)`);
  }

  #ended(result: FileResult): void {
    result.seconds = (performance.now() - result.startedAt) / 1000;
    const left = this.#left.get(result.area)! - 1;
    this.#left.set(result.area, left);
    if (this.#isVerbose) return;
    if (result.failures.length > 0) console.log(`✖ ${relative(ROOT, result.file)}: ${result.failures.length} failed`);
    if (left > 0) return;
    const all = [...this.#results.values()].filter(({ area }) => area === result.area);
    const failed = sum(all, ({ failures }) => failures.length);
    const columns = [
      failed === 0 ? '✔' : '✖',
      result.area.padEnd(18),
      `${all.length} files`.padStart(9),
      `${sum(all, ({ passed }) => passed)} passed`.padStart(12),
      `${failed} failed`.padStart(10),
      `${sum(all, ({ skips }) => skips.length)} skipped`.padStart(11),
      `${sum(all, ({ seconds }) => seconds).toFixed(0)} s`.padStart(6),
      `(at ${((performance.now() - this.#startedAt) / 1000).toFixed(0)} s)`,
    ];
    console.log(columns.join(' '));
  }

  /** @returns whether all tests passed */
  end(repeatBy: (file: string) => string): boolean {
    const all = [...this.#results.values()];
    const skips = all.flatMap(({ file, skips }) => skips.map((skip) => ({ ...skip, file: relative(ROOT, file) })));
    if (skips.length > 0) console.log('\nSkipped:');
    for (const { file, path, text } of skips)
      console.log(`  ${[file, ...path].join(' › ')}: ${text || 'no reason given'}`);
    if (all.length > 1) {
      console.log('\nThe slowest files, by processor time:');
      const slowest = all.sort((one, other) => other.cpuSeconds - one.cpuSeconds);
      for (const { file, seconds, cpuSeconds } of slowest.slice(
        0,
        Number(process.env.TRACKWAY_TEST_SLOWEST ?? SLOWEST_SHOWN),
      ))
        console.log(
          `  ${cpuSeconds.toFixed(1).padStart(6)} s CPU ${seconds.toFixed(1).padStart(6)} s  ${relative(ROOT, file)}`,
        );
    }
    const failedFiles = all.filter(({ failures }) => failures.length > 0);
    const unstable = this.#first.filter(({ file }) => this.#results.get(file)!.failures.length === 0);
    for (const { file, failures, printed } of [...unstable, ...failedFiles]) {
      const name = relative(ROOT, file);
      for (const { path, text } of failures) console.log(`\n✖ ${[name, ...path].join(' › ')}\n${indented(text)}`);
      if (printed.trim() !== '') console.log(`\n  It printed:\n${indented(printed.trimEnd())}`);
      console.log(`\n  To repeat: ${repeatBy(name)}`);
    }
    const failed = sum(all, ({ failures }) => failures.length);
    console.log(`\n${sum(all, ({ passed }) => passed)} passed, ${failed} failed, ${skips.length} skipped`);
    // Once more, because a log that is cut keeps its end.
    for (const { file, failures } of failedFiles)
      for (const { path } of failures) console.log(`✖ ${[relative(ROOT, file), ...path].join(' › ')}`);
    for (const { file, failures } of unstable)
      for (const { path } of failures)
        console.log(`UNSTABLE, failed and then passed: ${[relative(ROOT, file), ...path].join(' › ')}`);
    return failed === 0;
  }
}

const sum = <T>(all: readonly T[], of: (one: T) => number) => all.reduce((total, one) => total + of(one), 0);
const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ');

/** A package, or a part of the large ones. */
function areaOf(file: string): string {
  const [folder, , part] = relative(ROOT, file).split('/');
  if (folder === 'server' && !part!.includes('.')) return `server/${part}`;
  return folder === 'e2e' && part === 'console' ? IN_BROWSER : folder!;
}
