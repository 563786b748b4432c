import type { MoveProgress } from '@trackway/server/platform/storage/move/move.ts';

const TERMINAL_MS = 200;
/** Less often in a log, where each line is permanent. */
const LOG_MS = 5000;

const WORDS = { copy: 'Copying', compare: 'Comparing' } as const;

/** Shows the progress of the move on standard error: one changing line in a terminal, otherwise a line at intervals. */
export function showMove(
  out: { readonly isTTY?: boolean; write(text: string): unknown } = process.stderr,
  everyMs = out.isTTY ? TERMINAL_MS : LOG_MS,
): { report(progress: MoveProgress): void; stop(): void } {
  let saidAt = Number.NEGATIVE_INFINITY;
  let step: MoveProgress['step'] | undefined;
  return {
    report(progress) {
      const now = performance.now();
      if (now - saidAt < everyMs && progress.step === step) return;
      saidAt = now;
      step = progress.step;
      const { table, rows, of } = progress;
      const share = of === 0 ? 100 : Math.floor((100 * rows) / of);
      const line = `${WORDS[step]} ${table}: ${Math.floor(rows)} of ${of} rows (${share} %)`;
      out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
    },
    stop() {
      if (out.isTTY) out.write('\r\x1b[K');
    },
  };
}
