import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import mqtt from 'mqtt';
import { eventually } from '../../../testing/eventually.ts';
import { type Behaviour, SLOW_MS } from './channel-suite.ts';
import type { Published } from './mqtt-end.ts';

const PLACES = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
const placeOf = (program: string) => PLACES.map((folder) => join(folder, program)).find((place) => existsSync(place));

/** The path of Mosquitto; undefined if it is not installed. */
export const mosquittoPlace = () => placeOf('mosquitto_passwd') && placeOf('mosquitto');

/** Why tests with Mosquitto are skipped; false if it is installed. */
export const withoutMosquitto: string | false =
  mosquittoPlace() === undefined
    ? 'SKIPPED: NOTHING WAS TESTED WITH MOSQUITTO, which is not here: apt-get install mosquitto'
    : false;

/** Mosquitto, which supports MQTT 3.1.1 and 5, behind a proxy that can break and delay its packets. */
export interface MosquittoEnd {
  readonly url: string;
  readonly password: string;
  /** All messages that it has received from any client. */
  published(): Promise<readonly Published[]>;
  behave(how: Behaviour): Promise<void>;
  endConnections(): void;
  /** Stops it, and starts it again with its stored data. */
  restart(): Promise<void>;
  /** The content of its log. */
  log(): Promise<string>;
}

export async function mosquittoEnd(t: TestContext): Promise<MosquittoEnd> {
  const folder = await mkdtemp(join(tmpdir(), 'trackway-mosquitto-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const password = 'the-password/of the broker';
  const [port, refusingPort] = await freePorts();
  const passwords = join(folder, 'passwords');
  await promisify(execFile)(placeOf('mosquitto_passwd')!, ['-b', '-c', passwords, 'robot', password]);
  await writeFile(join(folder, 'nothing.acl'), 'user robot\ntopic read #\n');
  const logFile = join(folder, 'mosquitto.log');
  await writeFile(
    join(folder, 'mosquitto.conf'),
    [
      'per_listener_settings true',
      'persistence true',
      `persistence_location ${folder}/`,
      `log_dest file ${logFile}`,
      'log_type all',
      ...(process.getuid?.() === 0 ? ['user root'] : []),
      `listener ${port} 127.0.0.1`,
      `password_file ${passwords}`,
      `listener ${refusingPort} 127.0.0.1`,
      `password_file ${passwords}`,
      `acl_file ${join(folder, 'nothing.acl')}`,
      '',
    ].join('\n'),
  );
  const direct = `mqtt://robot:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  let stop = await start(folder, port);
  t.after(() => stop());

  let behaviour: Behaviour = 'well';
  const sockets = new Set<Socket>();
  // Each direction ends by itself: a client that ends its connection has closed it only when the broker has read all of it.
  const proxy = createServer({ allowHalfOpen: true }, (near) => {
    if (behaviour === 'down') return void near.destroy();
    const far = connect({
      port: behaviour === 'refusing' ? refusingPort : port,
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('end', () => to.end());
      from.on('close', () => sockets.delete(from));
    }
    near.on('data', (chunk) => far.write(chunk));
    far.on('data', (chunk) => {
      // The first byte of an acknowledgement of a message.
      if (behaviour === 'silent' && chunk[0]! >> 4 === 4) return;
      if (behaviour === 'slow') setTimeout(() => near.write(chunk), SLOW_MS);
      else near.write(chunk);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const endConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    endConnections();
    proxy.close();
  });

  const published: Published[] = [];
  const watch = await mqtt.connectAsync(direct, { protocolVersion: 5, reconnectPeriod: 50 });
  t.after(() => watch.end(true));
  const marks = new Set<string>();
  watch.on('message', (topic, payload) => {
    const text = payload.toString();
    if (topic === 'mark') marks.add(text);
    else published.push({ topic, text });
  });
  await watch.subscribeAsync('#', { qos: 1 });
  let marked = 0;

  return {
    url: `mqtt://robot:${encodeURIComponent(password)}@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    password,
    endConnections,
    async published() {
      const mark = String(++marked);
      await watch.publishAsync('mark', mark, { qos: 1 });
      await eventually('all that was published before comes', () => marks.has(mark));
      return published;
    },
    async behave(how) {
      const isOther = [how, behaviour].some((each) => each === 'refusing' || each === 'down');
      behaviour = how;
      if (!isOther) return;
      const open = [...sockets].map((socket) => once(socket, 'close'));
      endConnections();
      await Promise.all(open);
    },
    async restart() {
      await stop();
      stop = await start(folder, port);
    },
    log: () => readFile(logFile, 'utf8'),
  };
}

/** It ends with its standard input, and so also when the test is killed. */
const UNTIL_INPUT_ENDS = '"$0" -c "$1" & broker=$!; cat; kill "$broker"; wait "$broker"';

/** Returns a function that stops it. */
async function start(folder: string, port: number): Promise<() => Promise<void>> {
  const program = spawn('sh', ['-c', UNTIL_INPUT_ENDS, mosquittoPlace()!, join(folder, 'mosquitto.conf')], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(program, 'exit');
  await eventually('Mosquitto listens', () => listens(port));
  return async () => {
    program.stdin.end();
    await ended;
  };
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });

async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const [first, second] = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  return [first!, second!];
}
