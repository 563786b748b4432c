import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Listened, Listening } from '../live.ts';
import { percentile } from '../print/statistics.ts';

/**
 * The process that reads streams. It reads its task as JSON, reports when it is ready, counts positions until all have
 * arrived, and prints the delay of each since its reception. The server's `created` is the time of reception, and both
 * processes run on one machine with one clock.
 */

const { address, token, streams, positions } = JSON.parse(await text(process.stdin)) as Listening;
const delays: number[] = [];
let ready = 0;

await Promise.all(Array.from({ length: streams }, () => listen()));
const listened: Listened = {
  positions: delays.length,
  p50Ms: percentile(delays, 50),
  p99Ms: percentile(delays, 99),
  maxMs: percentile(delays, 100),
};
process.stdout.write(`${JSON.stringify(listened)}\n`);
process.exit(0);

function listen(): Promise<void> {
  return new Promise((resolve, reject) => {
    let count = 0;
    let remaining = '';
    const request = get(`${address}/api/live`, { headers: { authorization: token } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`The stream was refused: ${response.statusCode}`));
      response.setEncoding('latin1').on('data', (chunk: string) => {
        const now = Date.now();
        const blocks = (remaining + chunk).split('\n\n');
        remaining = blocks.pop()!;
        for (const block of blocks) {
          if (block.startsWith(': \nid:')) ready += 1;
          if (ready === streams) {
            ready += 1;
            process.stdout.write('listening\n');
          }
          if (!block.includes('\nevent: position\n')) continue;
          delays.push(now - Date.parse(/"created":"([^"]+)"/.exec(block)![1]!));
          count += 1;
        }
        if (count >= positions) resolve();
      });
      response.on('close', () => reject(new Error(`The stream ended after ${count} of ${positions} positions`)));
    });
    request.on('error', reject);
  });
}
