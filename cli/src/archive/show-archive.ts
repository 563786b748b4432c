import type { ArchiveProgress } from '@trackway/server/domain/history/archive.ts';

const TERMINAL_MS = 200;
/** Less often in a log, where each line is permanent. */
const LOG_MS = 5000;

/**
 * Shows the progress of the archive on standard error: one changing line in a terminal, otherwise a line at intervals.
 */
export function showArchive(
  out: { readonly isTTY?: boolean; write(text: string): unknown } = process.stderr,
  everyMs = out.isTTY ? TERMINAL_MS : LOG_MS,
): { report(progress: ArchiveProgress): void; stop(): void } {
  let saidAt = performance.now();
  let isShown = false;
  return {
    report({ month, table, bucket, rows }) {
      const now = performance.now();
      if (now - saidAt < everyMs) return;
      saidAt = now;
      isShown = true;
      const line = `Writing ${table} of ${month}, bucket ${bucket}: ${rows} rows so far`;
      out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
    },
    stop() {
      if (out.isTTY && isShown) out.write('\r\x1b[K');
      isShown = false;
    },
  };
}
