import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Handlers } from '../../../calls.ts';
import { readUserFences, type UserFences } from '../../geofences/index/user-fences.ts';
import type { Store } from '../../schema/tables.ts';
import type { Firing } from '../../triggers/evaluator.ts';
import { requireUsable } from '../../triggers/parameters.ts';
import { sentenceOf } from '../../triggers/sentence.ts';
import { advance } from '../judge/advance.ts';
import { UNHEARD } from '../judge/device-state.ts';
import type { Rules } from '../judge/inputs.ts';
import { inputsAfter } from '../replay/stored-inputs.ts';

const DAY_MS = 86_400_000;
const SLICE_MS = 10;
const DEADLINE_MS = 15_000;
const MOST_FIRINGS = 1000;
/** Runs up before the days that are asked for, so that motion and memberships are known when they begin. */
const RUN_UP_MS = 2 * 3_600_000;

/** "What would have fired": the rule as if it had always been there, on what was stored, without a trace. */
export function trialOperations(store: Store): Handlers<'tryTrigger'> {
  return {
    async tryTrigger({ caller, deviceId, body, now }) {
      const { type, parameters, days } = body as { type: string; parameters: Record<string, unknown>; days: number };
      const usable = requireUsable(type, parameters, {});
      const book = await readUserFences(store, caller.userId, 0, now);
      const rule = {
        triggerId: 0,
        version: 0,
        userId: caller.userId,
        name: type,
        type: type as TriggerTypeName,
        parameters: usable.parameters,
      };
      const rules = alwaysThere(book, deviceId, now, rule);
      const device = await store.query
        .selectFrom('devices')
        .select('name')
        .where('id', '=', deviceId)
        .executeTakeFirstOrThrow();
      const since = now - days * DAY_MS;

      const firings: Firing[] = [];
      let state = UNHEARD;
      const ends = performance.now() + DEADLINE_MS;
      let slice = performance.now() + SLICE_MS;
      let complete = true;
      look: for await (const inputs of inputsAfter(store, deviceId, since - RUN_UP_MS)) {
        for (const input of [...inputs]) {
          const step = advance(state, input, rules);
          state = step.state;
          firings.push(...step.effects.firings.filter(({ at }) => at >= since));
          if (performance.now() > slice) {
            await new Promise((resolve) => setImmediate(resolve));
            slice = performance.now() + SLICE_MS;
          }
          if (firings.length >= MOST_FIRINGS || performance.now() > ends) {
            complete = false;
            break look;
          }
        }
      }
      const name = device.name ?? `Device ${deviceId}`;
      return {
        firings: firings.map((firing) => ({
          timestamp: new Date(firing.at).toISOString(),
          message: sentenceOf(firing, name),
          kind: firing.kind,
          pointId: firing.pointId ?? null,
          zoneId: firing.zoneId ?? null,
        })),
        complete,
      };
    },
  };
}

/** The user's fences as they are now, and the one trigger, at all times. */
function alwaysThere(
  book: UserFences,
  deviceId: number,
  now: number,
  rule: ReturnType<Rules['triggers']>[number],
): Rules {
  return {
    fencesNear(_at, place, radiusM) {
      const found: Parameters<Parameters<UserFences['near']>[4]>[0][] = [];
      book.near(now, deviceId, place, radiusM, (fence) => found.push({ ...fence, shapedAt: Number.NEGATIVE_INFINITY }));
      return found;
    },
    fence(_at, fenceId) {
      const fence = book.fence(now, deviceId, fenceId);
      return fence && { ...fence, shapedAt: Number.NEGATIVE_INFINITY };
    },
    triggers: () => [rule],
  };
}
