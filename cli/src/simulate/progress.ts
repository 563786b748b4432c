import type { Tally } from './send.ts';

const TERMINAL_MS = 1000;
/** Less often in a log, where each line is permanent. */
const LOG_MS = 10_000;

/** Shows the progress on standard error until stopped: one changing line in a terminal, a line at intervals otherwise. */
export function showProgress(
  tally: Tally,
  out: { readonly isTTY?: boolean; write(text: string): unknown } = process.stderr,
  everyMs = out.isTTY ? TERMINAL_MS : LOG_MS,
): { stop(): void } {
  let before = tally.acknowledged;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const rate = ((tally.acknowledged - before) * 1000) / everyMs;
    before = tally.acknowledged;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const error = tally.failed > 0 && tally.acknowledged < tally.sent ? `; last error: ${tally.lastError}` : '';
    const line = `${seconds} s  ${rate.toFixed(0)}/s  ${counts(tally)}${error}`;
    out.write(out.isTTY ? `\r\x1b[K${line.slice(0, 150)}` : `${line}\n`);
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      if (out.isTTY) out.write('\r\x1b[K');
    },
  };
}

const counts = ({ sent, acknowledged, failed, refused }: Tally) =>
  `sent ${sent}, acknowledged ${acknowledged}, failed attempts ${failed}${refused > 0 ? `, rejected ${refused}` : ''}`;

export function summary(tally: Tally): string {
  const { sent, acknowledged, positions, duplicates, quarantined, failed, refused, abandoned, lastError } = tally;
  const lines = [`Sent ${sent} transmissions; ${acknowledged} acknowledged with ${positions} positions.`];
  if (duplicates > 0 || quarantined > 0)
    lines.push(`The server reported ${duplicates} duplicates and ${quarantined} quarantined items.`);
  if (failed > 0) lines.push(`Failed attempts, which were repeated: ${failed}.`);
  if (refused > 0) lines.push(`Rejected: ${refused}.`);
  if (abandoned > 0) lines.push(`Not acknowledged at the end: ${abandoned}.`);
  if ((refused > 0 || abandoned > 0) && lastError !== '') lines.push(`Last error: ${lastError}`);
  return lines.join('\n');
}
