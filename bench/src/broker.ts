import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialOf, startPublisher, topicOf } from './load/publisher.ts';
import { send } from './load/sending.ts';
import { cpuTimeMs } from './print/cpu-time.ts';
import { loadAverage } from './print/machine.ts';
import { median } from './print/statistics.ts';
import { number, printTable, verdict } from './print/table.ts';
import { Api, startTrackway } from './trackway.ts';

/** Positions from an MQTT broker, compared with positions over HTTP: as fast as each is acknowledged. */

const DEVICES = 64;
const MESSAGES = 6000;
const ROUNDS = 5;
const AHEAD = 500;
const BAR = 0.5;

export async function benchBroker(flags: ReadonlySet<string>): Promise<void> {
  const rounds = flags.has('--short') ? 3 : ROUNDS;
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const broker = await startPublisher();
  const server = await startTrackway({ TRACKWAY_DATA: folder, ...broker.environment });
  try {
    const admin = await Api.signIn(server.address);
    const keys: string[] = [];
    const topics: string[] = [];
    for (let i = 0; i < DEVICES; i++) {
      const serial = serialOf(i);
      const { deviceKey } = await admin.post('/devices', { name: serial, serial, allowKeyless: true });
      keys.push(deviceKey as string);
      topics.push(topicOf(i));
    }
    const [http, mqtt] = [[], []] as { perSecond: number; cpuUs: number }[][];
    let startAt = Date.now() - 20 * 86_400_000;
    const day = () => {
      startAt += 86_400_000;
      return startAt;
    };
    for (let round = -1; round < rounds; round += 1) {
      const load = { address: server.address, keys, reports: MESSAGES, positions: 1, intervalS: 10 };
      const overHttp = await send({ ...load, connections: DEVICES, startAt: day() }, server.pid);
      const before = cpuTimeMs(server.pid) ?? Number.NaN;
      const task = { topics, messages: MESSAGES, startAt: day(), intervalS: 10, ahead: AHEAD };
      const { messages, seconds } = await broker.publish(task);
      const cpuUs = (((cpuTimeMs(server.pid) ?? Number.NaN) - before) * 1000) / messages;
      // The first round warms up.
      if (round < 0) continue;
      http!.push(overHttp);
      mqtt!.push({ perSecond: messages / seconds, cpuUs });
    }
    const rate = (all: readonly { perSecond: number }[]) => median(all.map(({ perSecond }) => perSecond));
    const cpu = (all: readonly { cpuUs: number }[]) => median(all.map(({ cpuUs }) => cpuUs));
    const ratio = rate(mqtt!) / rate(http!);
    printTable(
      `One position a message, ${DEVICES} devices, medians of ${rounds} rounds, load average ${loadAverage()}`,
      ['by', 'positions/s', 'CPU µs', '÷ HTTP', 'bar', ''],
      [
        ['HTTP, 64 connections', number(rate(http!)), cpu(http!).toFixed(1), '', '', ''],
        [
          'MQTT broker',
          number(rate(mqtt!)),
          cpu(mqtt!).toFixed(1),
          ratio.toFixed(2),
          `≥ ${BAR}`,
          verdict(ratio >= BAR),
        ],
      ],
    );
  } finally {
    await server.stop();
    await broker.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
