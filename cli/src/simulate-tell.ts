import type { Tally } from './simulate-send.ts';

const TERMINAL_MS = 1000;
/** In a log, lines are kept. */
const LOG_MS = 10_000;

/** Says how far it is on standard error until it is stopped: one line that changes, or now and then a line. */
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
  `sent ${sent}, acknowledged ${acknowledged}, failed attempts ${failed}${refused > 0 ? `, refused ${refused}` : ''}`;

export function summary(tally: Tally): string {
  const { sent, acknowledged, positions, duplicates, quarantined, failed, refused, abandoned, lastError } = tally;
  const lines = [`Sent ${sent} transmissions; ${acknowledged} acknowledged with ${positions} positions.`];
  if (duplicates > 0 || quarantined > 0)
    lines.push(`The server knew ${duplicates} already and set ${quarantined} aside.`);
  if (failed > 0) lines.push(`${failed} attempts failed and were repeated.`);
  if (refused > 0) lines.push(`${refused} were refused.`);
  if (abandoned > 0) lines.push(`${abandoned} were given up at the end.`);
  if ((refused > 0 || abandoned > 0) && lastError !== '') lines.push(`The last error: ${lastError}`);
  return lines.join('\n');
}
