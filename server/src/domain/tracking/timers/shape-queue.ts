import type { Log } from '../../../platform/log.ts';
import type { ShapedFence } from '../../geofences/versions.ts';
import type { Store } from '../../schema/tables.ts';
import type { RulesCache } from '../state/rules-cache.ts';
import { judgeNewShapes, type NewShapes } from './new-shapes.ts';

export interface ShapeQueueOptions {
  readonly log: Log;
  readonly now: () => number;
  readonly judgeAgain: (deviceId: number) => void;
  readonly goOn: () => boolean;
}

export interface ShapeQueue {
  /** Resolves once the first of the user's devices are judged, which mostly are all; the others follow. */
  add(fence: ShapedFence): Promise<void>;
  idle(): Promise<void>;
}

/**
 * Sees to it that new shapes of fences are judged. A user with many devices who saves many fences has their devices looked
 * at once for all fences that came in the meantime, not once for each.
 */
export function shapeQueue(store: Store, rulesCache: RulesCache, options: ShapeQueueOptions): ShapeQueue {
  const { log, goOn } = options;
  const waiting = new Map<string, NewShapes>();
  let working: Promise<void> = Promise.resolve();
  const failed = (error: unknown) => log.error({ error }, 'Judging a new fence failed');

  function enqueue(shapes: NewShapes): void {
    const key = `${shapes.userId} ${shapes.deviceId}`;
    const same = waiting.get(key);
    const from = Math.min(shapes.from, same?.from ?? shapes.from);
    const until = Math.max(shapes.until, same?.until ?? shapes.until);
    const after = Math.min(shapes.after, same?.after ?? shapes.after);
    const fenceIds = [...new Set([...shapes.fenceIds, ...(same?.fenceIds ?? [])])];
    waiting.set(key, { ...shapes, fenceIds, from, until, after });
    if (same === undefined) working = working.then(() => work(key)).catch(failed);
  }

  async function work(key: string): Promise<void> {
    let rest: NewShapes | undefined = waiting.get(key);
    waiting.delete(key);
    while (rest !== undefined && goOn()) rest = await judgeNewShapes(store, rulesCache, rest, options);
  }

  return {
    async add({ fenceId, userId, deviceId, shapedAt }) {
      const shapes = { userId, fenceIds: [fenceId], deviceId, from: shapedAt, until: shapedAt, after: 0 };
      try {
        const rest = await judgeNewShapes(store, rulesCache, shapes, options);
        if (rest) enqueue(rest);
      } catch (error) {
        // The fence is saved all the same; whoever stands in it is judged with the next report.
        failed(error);
      }
    },
    idle: () => working,
  };
}
