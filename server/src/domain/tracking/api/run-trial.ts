import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import { readUserFences, type UserFences } from '../../geofences/user-fences.ts';
import type { Tables } from '../../schema/tables.ts';
import type { Firing } from '../../triggers/evaluator.ts';
import { sentenceOf } from '../../triggers/sentence.ts';
import { advance } from '../evaluate/advance.ts';
import { INITIAL_STATE } from '../evaluate/device-state.ts';
import type { Rules } from '../evaluate/inputs.ts';
import { inputsAfter } from '../replay/stored-inputs.ts';

export interface Trial {
  readonly userId: number;
  readonly deviceId: number;
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly days: number;
  readonly now: number;
}

const DAY_MS = 86_400_000;
const DEADLINE_MS = 15_000;
const MOST_FIRINGS = 1000;
/** Runs up before the days that are asked for, so that motion and memberships are known when they begin. */
const RUN_UP_MS = 2 * 3_600_000;

/** Evaluates what was stored by one rule alone. */
export const runTrial = defineReadWork(import.meta.url, async (workplace: Workplace<Tables>, trial: Trial) => {
  const { userId, deviceId, type, parameters, days, now } = trial;
  const book = await readUserFences(workplace, userId, 0, now);
  const rule = { triggerId: 0, version: 0, userId, name: type, type: type as TriggerTypeName, parameters };
  const rules = alwaysThere(book, deviceId, now, rule);
  const device = await workplace.query
    .selectFrom('devices')
    .select('name')
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow();
  const since = now - days * DAY_MS;

  const firings: Firing[] = [];
  let state = INITIAL_STATE;
  const ends = performance.now() + DEADLINE_MS;
  let complete = true;
  look: for await (const inputs of inputsAfter(workplace, deviceId, since - RUN_UP_MS)) {
    for (const input of inputs) {
      const step = advance(state, input, rules);
      state = step.state;
      firings.push(...step.effects.firings.filter(({ at }) => at >= since));
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
});

/** The current fences of the user and the one trigger, at all times. */
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
