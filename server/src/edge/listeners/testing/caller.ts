import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { eventually } from '../../../testing/eventually.ts';

/** A device of a test: its sent and received bytes. */
export interface TestTracker {
  readonly socket: Socket;
  received(): string;
  say(text: string | Buffer): void;
  /** Waits until it has received exactly this. */
  receives(text: string): Promise<void>;
  isClosed(): boolean;
  closed(): Promise<void>;
}

export async function callTracker(
  t: Pick<TestContext, 'after'>,
  port: number,
  open: () => Socket = () => connect(port, '127.0.0.1'),
): Promise<TestTracker> {
  const socket = open();
  let received = '';
  let isClosed = false;
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  t.after(() => socket.destroy());
  await once(socket, 'encrypted' in socket ? 'secureConnect' : 'connect');
  return {
    socket,
    received: () => received,
    say: (text) => void socket.write(text),
    receives: async (text) => {
      await eventually(
        `it receives ${JSON.stringify(text)}`,
        () => received,
        (all) => all === text,
      );
    },
    isClosed: () => isClosed,
    closed: async () => {
      await eventually('it is closed', () => isClosed);
    },
  };
}
