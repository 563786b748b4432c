import { timeNow } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { failureLog } from '../../../platform/storage/trouble.ts';
import type { Store } from '../../schema/tables.ts';

const LOOK_MS = 2000;

/** An operator's wish that a node ends its work, kept until the node has done so. Its value is when it stops. */
export const drainName = (nodeId: string) => `drain ${nodeId}`;

interface DrainOptions {
  readonly log: Log;
  /** Called once, when the time has come. */
  stop(): void;
  readonly lookMs?: number;
}

/** Whether this node is to hand over: it is not ready any more, so that balancers turn away, and stops after a while. */
export interface Drain {
  isDraining(): boolean;
  look(): Promise<void>;
  stop(): Promise<void>;
}

/** Looks from time to time whether an operator wants the node to end. With SQLite there is no other to take over. */
export function watchDrain(store: Store, nodeId: string, { log, stop, lookMs = LOOK_MS }: DrainOptions): Drain {
  let stopsAt: number | undefined;
  let isStopping = false;

  async function look(): Promise<void> {
    if (isStopping) return;
    const wish = await store.query
      .selectFrom('settings')
      .select('value')
      .where('name', '=', drainName(nodeId))
      .executeTakeFirst();
    if (wish === undefined) {
      stopsAt = undefined;
      return;
    }
    if (stopsAt === undefined) log.warn({}, 'This node is drained: it is not ready any more, and will stop');
    stopsAt = Number(wish.value);
    if (timeNow() < stopsAt) return;
    isStopping = true;
    stop();
  }

  const failed = failureLog(log);
  let looking: Promise<void> = Promise.resolve();
  const turn = () => {
    looking = looking.then(look).catch((error) => failed(error, 'Looking whether this node is drained failed'));
  };
  const timer = store.dialect.isShared ? setInterval(turn, lookMs).unref() : undefined;
  return {
    isDraining: () => stopsAt !== undefined,
    look,
    async stop() {
      clearInterval(timer);
      await looking;
      if (stopsAt === undefined) return;
      await store.query
        .deleteFrom('settings')
        .where('name', '=', drainName(nodeId))
        .execute()
        .catch(() => {});
    },
  };
}
