import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Aedes } from 'aedes';

/** Messages for devices that the broker publishes, as soon as the one who listens acknowledges. */
export interface Publishing {
  readonly topics: readonly string[];
  readonly messages: number;
  /** The time of the first fix, in epoch milliseconds. */
  readonly startAt: number;
  /** Seconds between the fixes of a device. */
  readonly intervalS: number;
  /** Messages that may be under way. */
  readonly ahead: number;
}

export interface PublishedByBroker {
  readonly messages: number;
  readonly seconds: number;
}

/** The process of a broker: prints its port, then for each line of its input publishes and prints the result. */
const broker = await Aedes.createBroker();
const server = createServer(broker.handle);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
let listening = Promise.withResolvers<void>();
broker.on('subscribe', () => listening.resolve());
broker.on('clientDisconnect', () => {
  listening = Promise.withResolvers();
});
process.stdout.write(`Broker at ${(server.address() as AddressInfo).port}\n`);
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await publish(JSON.parse(line) as Publishing))}\n`);

async function publish({ topics, messages, startAt, intervalS, ahead }: Publishing): Promise<PublishedByBroker> {
  await listening.promise;
  let acknowledged = 0;
  let published = 0;
  const began = performance.now();
  await new Promise<void>((resolve) => {
    const more = () => {
      while (published < messages && published - acknowledged < ahead) {
        const index = published++;
        const fix = startAt + Math.floor(index / topics.length) * intervalS * 1000;
        const body = { _type: 'location', lat: 50 + (index % 1000) / 1e5, lon: 8, tst: fix / 1000, batt: 80 };
        const topic = topics[index % topics.length]!;
        broker.publish(
          { cmd: 'publish', topic, payload: JSON.stringify(body), qos: 1, retain: false, dup: false },
          () => {},
        );
      }
    };
    broker.on('ack', (packet) => {
      if (packet === undefined) return;
      acknowledged++;
      if (acknowledged === messages) {
        broker.removeAllListeners('ack');
        resolve();
      } else more();
    });
    more();
  });
  return { messages, seconds: (performance.now() - began) / 1000 };
}
