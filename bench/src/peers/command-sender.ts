import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { makeLanes, Outcome } from '../load/lanes.ts';
import type { Sending } from '../load/sending.ts';

/**
 * The process that sends the positions of a fleet as commands of Redis' protocol, one per position, each after the last
 * one of its connection was answered. It reads its task as JSON and prints the result as JSON.
 */
export interface CommandSending extends Sending {
  /** The words of a command; `$device`, `$time`, `$lat`, `$lng` and `$speed` are replaced by the values of the position. */
  readonly command: readonly string[];
}

const sending = JSON.parse(await text(process.stdin)) as CommandSending;
const { hostname, port } = new URL(sending.address);
const outcome = new Outcome();
const { lanes, endedAt } = makeLanes(sending, commandOf);
const sockets = await Promise.all(lanes.map(open));
const startedAt = performance.now();
await Promise.all(lanes.map((commands, lane) => sendAll(commands, sockets[lane]!)));
const sent = outcome.sum(sending, startedAt, endedAt);
for (const socket of sockets) socket.destroy();
process.stdout.write(JSON.stringify(sent));

function commandOf(key: string, body: string): Buffer {
  const { points } = JSON.parse(body);
  const [{ timestamp, location, speed }] = points;
  const values: Record<string, string | number> = {
    $device: key,
    $time: timestamp,
    $lat: location.lat,
    $lng: location.lng,
    $speed: speed,
  };
  const words = sending.command.map((word) => String(values[word] ?? word));
  return Buffer.from(
    `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`,
  );
}

async function open(): Promise<Socket> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return socket;
}

async function sendAll(commands: readonly Buffer[], socket: Socket): Promise<void> {
  for (const command of commands) {
    const from = performance.now();
    socket.write(command);
    // All answers to these commands fit into one packet.
    const [answer] = (await once(socket, 'data')) as [Buffer];
    outcome.take(performance.now() - from, answer.toString('latin1'), answer[0] !== '-'.charCodeAt(0));
  }
}
