import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';
import type { Load, Observed } from './load.ts';

/** The process that generates load: reads its task as JSON, runs it, and prints the result as JSON. */

const { address, requests, connections, seconds } = JSON.parse(await text(process.stdin)) as Load;
const result = await autocannon({ url: address, requests, connections, duration: seconds, timeout: 10 });
const observed: Observed = {
  requestsPerSecond: result.requests.total / result.duration,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  answers: result.requests.total,
  failures: result.non2xx + result.errors + result.timeouts,
};
process.stdout.write(JSON.stringify(observed));
