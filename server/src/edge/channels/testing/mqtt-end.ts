import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { Aedes, type AuthenticateError } from 'aedes';
import { type Behaviour, SLOW_MS } from './channel-suite.ts';

/** Local brokers: a real one with MQTT 3.1.1, and the few bytes of MQTT 5 that reject a message. */

export interface Published {
  readonly topic: string;
  readonly text: string;
}

export interface MqttEnd {
  readonly url: string;
  readonly password: string;
  /** Messages that the real broker accepted. */
  readonly published: Published[];
  /** Handles a message, instead of by behaviour. */
  onPublish: ((topic: string, done: (error?: Error | null) => void) => void) | undefined;
  /** The MQTT 5 reason code for every message; undefined uses the real broker. */
  reasonCode: number | undefined;
  connections(): number;
  behave(how: Behaviour): Promise<void>;
  endConnections(): void;
}

export async function mqttEnd(t: TestContext): Promise<MqttEnd> {
  const published: Published[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let behaviour: Behaviour = 'well';
  const password = 'the-password/of the broker';
  const broker = await Aedes.createBroker({
    authenticate(_client, username, given, done) {
      const isRight = username === 'robot' && given?.toString() === password;
      done(isRight ? null : (Object.assign(new Error('No'), { returnCode: 4 }) as AuthenticateError), isRight);
    },
    authorizePublish(_client, { topic, payload }, done) {
      const take = (error?: Error | null) => {
        if (!error) published.push({ topic, text: payload.toString() });
        done(error);
      };
      if (end.onPublish) return end.onPublish(topic, take);
      if (behaviour === 'silent') return;
      if (behaviour === 'slow') setTimeout(take, SLOW_MS);
      else take();
    },
  });
  broker.on('clientError', () => {});
  broker.on('connectionError', () => {});
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    if (behaviour === 'down') socket.destroy();
    else if (end.reasonCode !== undefined) answerByFive(socket, () => end.reasonCode!);
    else broker.handle(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(async () => {
    endConnections();
    server.close();
    await new Promise<void>((resolve) => broker.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  const end: MqttEnd = {
    url: `mqtt://robot:${encodeURIComponent(password)}@127.0.0.1:${port}`,
    password,
    published,
    onPublish: undefined,
    reasonCode: undefined,
    connections: () => connections,
    endConnections,
    async behave(how) {
      const isOther = [how, behaviour].some((each) => each === 'refusing' || each === 'down');
      behaviour = how;
      end.reasonCode = how === 'refusing' ? 135 : undefined;
      // A change of the broker takes effect only with a new connection.
      if (!isOther) return;
      const open = [...sockets].map((socket) => once(socket, 'close'));
      endConnections();
      await Promise.all(open);
    },
  };
  return end;
}

/** CONNACK, and for each PUBLISH with QoS 1 a PUBACK with a reason. */
function answerByFive(socket: Socket, reason: () => number): void {
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const packet = packetIn(bytes);
      if (packet === undefined) return;
      bytes = bytes.subarray(packet.end);
      if (packet.type === 1) socket.write(Buffer.from([0x20, 3, 0, 0, 0]));
      if (packet.type !== 3) continue;
      const id = packet.body.subarray(2 + packet.body.readUInt16BE(0)).subarray(0, 2);
      socket.write(Buffer.concat([Buffer.from([0x40, 4]), id, Buffer.from([reason(), 0])]));
    }
  });
}

function packetIn(bytes: Buffer): { type: number; body: Buffer; end: number } | undefined {
  let [length, shift, at] = [0, 0, 1];
  for (;;) {
    const byte = bytes[at++];
    if (byte === undefined) return undefined;
    length += (byte & 127) << shift;
    shift += 7;
    if ((byte & 128) === 0) break;
  }
  const end = at + length;
  return bytes.length < end ? undefined : { type: bytes[0]! >> 4, body: bytes.subarray(at, end), end };
}
