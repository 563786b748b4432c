import { maximum, median } from '../print/statistics.ts';
import { number } from '../print/table.ts';
import { startTrackway } from '../trackway.ts';
import type { Finding } from './finding.ts';

const STARTS = 5;
const BAR_MS = 1000;

/**
 * From the start of the process to the first successful answer of /readyz. An earlier start fills the compile cache.
 */
export async function coldStart(folder: string): Promise<Finding> {
  const times: number[] = [];
  for (let start = 0; start <= STARTS; start += 1) {
    const time = await startOnce(folder);
    if (start > 0) times.push(time);
  }
  return {
    what: `cold start to ready, ${STARTS} starts`,
    median: `${number(median(times))} ms`,
    worst: `${number(maximum(times))} ms`,
    bar: `< ${number(BAR_MS)} ms`,
    isMet: median(times) < BAR_MS,
  };
}

async function startOnce(folder: string): Promise<number> {
  const startedAt = performance.now();
  const server = await startTrackway({ TRACKWAY_DATA: folder });
  try {
    while (!(await fetch(`${server.address}/readyz`)).ok);
    return performance.now() - startedAt;
  } finally {
    await server.stop();
  }
}
