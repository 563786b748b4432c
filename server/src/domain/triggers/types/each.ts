import { isLocated } from '../../fix.ts';
import { type Evaluator, keep, type Moment, type TriggerRule } from '../evaluator.ts';

/** Triggers that fire each time. */

const onFix = (kind: string, applies: (moment: Moment, rule: TriggerRule) => boolean): Evaluator => ({
  onFix(rule, state, moment) {
    if (!applies(moment, rule)) return keep(state);
    const { at, pointId, place, alerts } = moment.fix;
    return { state, firings: [{ kind, at, decidedAt: at, pointId, facts: { place, ...(alerts > 0 && { alerts }) } }] };
  },
});

const AVAILABLE = 2;
const BUTTON = 8;
const DROP = 1;

export const newLoc = onFix('position', ({ fix }) => isLocated(fix));
export const newWakeLoc = onFix('position', ({ fix, moving }) => isLocated(fix) && (fix.mode === 0 || moving));
export const newAvailLoc = onFix('position', ({ fix }) => isLocated(fix) && fix.mode === AVAILABLE);
export const button = onFix('button', ({ fix }) => (fix.alerts & BUTTON) !== 0);
export const acc = onFix('drop', ({ fix }) => (fix.alerts & DROP) !== 0);
export const alertMode = onFix(
  'alert',
  ({ fix }, { parameters }) => (fix.alerts & ((parameters.mask as number | undefined) ?? 255)) !== 0,
);

export const newReading: Evaluator = {
  onReading(rule, state, { at, id, type, value }) {
    const wanted = rule.parameters.readingType as string | undefined;
    if (wanted && wanted !== type) return keep(state);
    return { state, firings: [{ kind: 'reading', at, decidedAt: at, readingId: id, facts: { type, value } }] };
  },
};

export const newMsg: Evaluator = {
  onMessage: (_rule, { at, id }) => ({
    state: undefined,
    firings: [{ kind: 'message', at, decidedAt: at, messageId: id, facts: {} }],
  }),
};
