import type { Transmission } from '@trackway/simulator/report.ts';

export interface Tempo {
  /** Simulated time at the beginning, epoch ms. */
  readonly startAt: number;
  /** So many times faster than life. */
  readonly speedUp: number;
  /** Unbounded where absent. */
  readonly count?: number;
  readonly durationMs?: number;
}

/** Each transmission with the moment (epoch ms) at which it goes out. */
export function* paced(
  all: Iterable<Transmission>,
  { startAt, speedUp, count = Number.POSITIVE_INFINITY, durationMs = Number.POSITIVE_INFINITY }: Tempo,
): Generator<{ transmission: Transmission; at: number }> {
  const begunAt = Date.now();
  let left = count;
  for (const transmission of all) {
    if (left-- <= 0) return;
    // Faster than life only until it has caught up: a server refuses what lies ahead.
    const at = Math.max(begunAt + (transmission.sentAt - startAt) / speedUp, transmission.sentAt);
    if (at >= begunAt + durationMs) return;
    yield { transmission, at };
  }
}
