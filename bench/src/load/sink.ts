import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '../process.ts';
import type { Order, Received } from './outbox-sink.ts';

export type Door = 'hook' | 'other' | 'queue';

/** The receiver, in a separate process. */
export interface Sink {
  readonly ports: Readonly<Record<Door, number>>;
  open(door: Door): Promise<void>;
  close(door: Door): Promise<void>;
  reset(door: Door): Promise<void>;
  read(door: Door): Promise<Received>;
  makeQueue(name: string): Promise<void>;
  /** Waits until a number of different messages has arrived, or none has for a while. */
  has(door: Door, count: number, patienceMs: number): Promise<Received>;
  stop(): void;
}

export async function startSink(): Promise<Sink> {
  const child = fork('bench/src/load/outbox-sink.ts', { cwd: ROOT });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const [ports] = (await once(child, 'message')) as [Sink['ports']];
  let turn: Promise<unknown> = Promise.resolve();
  const order = <T>(what: Order): Promise<T> => {
    const answered = turn.then(async () => {
      child.send(what);
      return (await once(child, 'message'))[0] as T;
    });
    turn = answered;
    return answered;
  };
  const read = (door: Door) => order<Received>({ do: 'read', door });
  return {
    ports,
    read,
    open: (door) => order({ do: 'open', door }),
    close: (door) => order({ do: 'close', door }),
    reset: (door) => order({ do: 'reset', door }),
    makeQueue: (name) => order({ do: 'makeQueue', name }),
    async has(door, count, patienceMs) {
      let [last, since] = [-1, Date.now()];
      for (;;) {
        const received = await read(door);
        if (received.messages >= count) return received;
        if (received.messages !== last) [last, since] = [received.messages, Date.now()];
        if (Date.now() - since > patienceMs) return received;
        await pause(200);
      }
    },
    stop() {
      process.removeListener('exit', kill);
      kill();
    },
  };
}
