/** Upper bounds in seconds. */
const BOUNDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];
const NAME = 'trackway_http_request_duration_seconds';

interface Series {
  readonly operation: string;
  readonly status: number;
  /** One more element than `BOUNDS`: the last counts requests slower than all bounds. */
  readonly counts: number[];
  seconds: number;
}

/** Counts requests by operation and status, and measures the time until the response is ready. */
export class Meter {
  readonly #series = new Map<string, Series>();

  note(operation: string, status: number, seconds: number): void {
    const key = `${operation} ${status}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { operation, status, counts: new Array<number>(BOUNDS.length + 1).fill(0), seconds: 0 };
      this.#series.set(key, series);
    }
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket++;
    series.counts[bucket]!++;
    series.seconds += seconds;
  }

  /** Returns the metrics in the text format of Prometheus. */
  text(): string {
    const lines = [`# HELP ${NAME} How long requests took, by operation and status.`, `# TYPE ${NAME} histogram`];
    for (const { operation, status, counts, seconds } of this.#series.values()) {
      const labels = `operation="${operation}",status="${status}"`;
      let total = 0;
      for (const [index, count] of counts.entries()) {
        total += count;
        lines.push(`${NAME}_bucket{le="${BOUNDS[index] ?? '+Inf'}",${labels}} ${total}`);
      }
      lines.push(`${NAME}_sum{${labels}} ${seconds}`, `${NAME}_count{${labels}} ${total}`);
    }
    return `${lines.join('\n')}\n`;
  }
}
