import { type Evaluator, keep, type Moment, type TriggerRule } from './evaluator.ts';

/** Fires with every fix that meets a condition. */
export const eachFix = (kind: string, applies: (moment: Moment, rule: TriggerRule) => boolean): Evaluator => ({
  onFix(rule, state, moment) {
    if (!applies(moment, rule)) return keep(state);
    const { at, pointId, place, alerts } = moment.fix;
    return { state, firings: [{ kind, at, decidedAt: at, pointId, facts: { place, ...(alerts > 0 && { alerts }) } }] };
  },
});
