import type { Transmission } from '@trackway/simulator/report.ts';

export interface Tempo {
  /** Simulated start time, epoch ms. */
  readonly startAt: number;
  /** Speed of simulated time as a multiple of real time. */
  readonly speedUp: number;
  /** Unlimited if absent. */
  readonly count?: number;
  readonly durationMs?: number;
}

/** Each transmission with the time (epoch ms) to send it. */
export function* paced(
  all: Iterable<Transmission>,
  { startAt, speedUp, count = Number.POSITIVE_INFINITY, durationMs = Number.POSITIVE_INFINITY }: Tempo,
): Generator<{ transmission: Transmission; at: number }> {
  const startedAt = Date.now();
  let remaining = count;
  for (const transmission of all) {
    if (remaining-- <= 0) return;
    // Faster than real time only until now: a server rejects positions from the future.
    const at = Math.max(startedAt + (transmission.sentAt - startAt) / speedUp, transmission.sentAt);
    if (at >= startedAt + durationMs) return;
    yield { transmission, at };
  }
}
