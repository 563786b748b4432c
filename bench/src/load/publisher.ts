import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ROOT } from '../process.ts';
import type { PublishedByBroker, Publishing } from './broker.ts';

/** A broker in a process of its own. */
export interface Publisher {
  /** The settings of a server that listens to it. */
  readonly environment: Record<string, string>;
  /** Publishes with QoS 1; resolves once the server has acknowledged all messages. */
  publish(task: Publishing): Promise<PublishedByBroker>;
  stop(): Promise<void>;
}

/** The topic of a device whose serial number is `serialOf(index)`. */
export const topicOf = (index: number) => `owntracks/${serialOf(index)}`;
export const serialOf = (index: number) => `bench/device-${index}`;

export async function startPublisher(): Promise<Publisher> {
  const broker = spawn(process.execPath, ['bench/src/load/broker.ts'], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(broker, 'exit');
  const lines = createInterface({ input: broker.stdout })[Symbol.asyncIterator]();
  const said = async () => {
    const { done, value } = await lines.next();
    if (done) throw new Error('The broker ended too early.');
    return value;
  };
  const port = /Broker at (\d+)/.exec(await said())![1]!;
  return {
    environment: { TRACKWAY_MQTT_URL: `mqtt://127.0.0.1:${port}`, TRACKWAY_MQTT_LISTEN: 'owntracks' },
    async publish(task) {
      broker.stdin.write(`${JSON.stringify(task)}\n`);
      return JSON.parse(await said()) as PublishedByBroker;
    },
    async stop() {
      broker.kill();
      await ended;
    },
  };
}
