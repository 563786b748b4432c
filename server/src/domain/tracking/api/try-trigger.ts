import type { Handlers } from '../../../calls.ts';
import { ownerOf, unlessBusy } from '../../family.ts';
import type { Store } from '../../schema/tables.ts';
import { requireUsable } from '../../triggers/checks.ts';
import { runTrial } from './run-trial.ts';

/** "What would have fired": the rule as if it had always been there, on what was stored, without a trace. */
export function trialOperations(store: Store): Handlers<'tryTrigger'> {
  const trial = store.readWork(runTrial);
  return {
    async tryTrigger(call) {
      const { caller, deviceId, body, now } = call;
      const { type, parameters, days } = body as { type: string; parameters: Record<string, unknown>; days: number };
      const usable = requireUsable(type, parameters, {}, { isStrict: call.isStrict });
      const wanted = { userId: caller.userId, deviceId, type, parameters: usable.parameters, days, now };
      return unlessBusy('trials', trial(wanted, ownerOf(call)));
    },
  };
}
