import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { eventually } from '../../../testing/eventually.ts';

/** A device of a test: what it says, and what it hears. */
export interface TestTracker {
  readonly socket: Socket;
  heard(): string;
  say(text: string | Buffer): void;
  /** Waits until all that it heard is this. */
  hears(text: string): Promise<void>;
  isClosed(): boolean;
  closed(): Promise<void>;
}

export async function callTracker(
  t: Pick<TestContext, 'after'>,
  port: number,
  open: () => Socket = () => connect(port, '127.0.0.1'),
): Promise<TestTracker> {
  const socket = open();
  let heard = '';
  let isClosed = false;
  socket.on('data', (bytes) => {
    heard += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  t.after(() => socket.destroy());
  await once(socket, 'encrypted' in socket ? 'secureConnect' : 'connect');
  return {
    socket,
    heard: () => heard,
    say: (text) => void socket.write(text),
    hears: async (text) => {
      await eventually(
        `it hears ${JSON.stringify(text)}`,
        () => heard,
        (all) => all === text,
      );
    },
    isClosed: () => isClosed,
    closed: async () => {
      await eventually('it is closed', () => isClosed);
    },
  };
}
