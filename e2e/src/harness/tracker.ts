import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { TrackerAnswer, TrackerVoice } from '@trackway/simulator/trackers/voice.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';

/** A simulated tracker with a connection of its own. */
export interface Tracker {
  readonly socket: Socket;
  /** All bytes that it received, hexadecimal. */
  received(): string;
  answers(): readonly TrackerAnswer[];
  logIn(): Promise<void>;
  say(bytes: Buffer): void;
  /** Reports positions, a frame for as many as fit into one. */
  report(points: readonly TrackerPoint[]): void;
  /** Waits until so many reports were confirmed. */
  confirmed(count: number): Promise<void>;
  isClosed(): boolean;
}

export interface TrackerPoint {
  readonly timestamp: number;
  readonly location: { readonly lat: number; readonly lng: number };
  readonly speed?: number;
}

export async function connectTracker(
  t: Pick<TestContext, 'after'>,
  voice: TrackerVoice,
  identity: string,
  port: number,
  open = () => connect(port, '127.0.0.1'),
): Promise<Tracker> {
  const socket = open();
  let all = '';
  let remaining: Buffer = Buffer.alloc(0);
  let serial = 10;
  let isClosed = false;
  const answers: TrackerAnswer[] = [];
  socket.on('data', (bytes) => {
    all += bytes.toString('hex');
    const received = voice.onData(
      Buffer.concat([remaining, bytes]),
      answers.includes('accepted') || voice.login === undefined,
    );
    answers.push(...received.answers);
    remaining = Buffer.from(received.remaining);
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  t.after(() => socket.destroy());
  await once(socket, 'encrypted' in socket ? 'secureConnect' : 'connect');
  return {
    socket,
    received: () => all,
    answers: () => answers,
    async logIn() {
      if (voice.login === undefined) return;
      socket.write(voice.login(identity));
      await eventually('it may report', () => answers.includes('accepted'));
    },
    say: (bytes) => void socket.write(bytes),
    report(points) {
      for (let from = 0; from < points.length; from += voice.pointsPerFrame) {
        const some = points.slice(from, from + voice.pointsPerFrame);
        socket.write(voice.report(identity, some as never, serial++));
      }
    },
    confirmed: async (count) => {
      await eventually(
        `${count} reports are confirmed`,
        () => answers.filter((answer) => answer === 'confirmed').length,
        (seen) => seen >= count,
      );
    },
    isClosed: () => isClosed,
  };
}
