import { eachFix, type FiringContent, ruleNumber, type TriggerDefinition } from '../evaluator.ts';

/** Bits of a position's `alertType`. */
const DROP = 1;
const BUTTON = 8;

export const button: TriggerDefinition = {
  evaluator: eachFix('button', ({ fix }) => (fix.alerts & BUTTON) !== 0),
};

export const acc: TriggerDefinition = {
  evaluator: eachFix('drop', ({ fix }) => (fix.alerts & DROP) !== 0),
};

export const alertMode: TriggerDefinition = {
  evaluator: eachFix('alert', ({ fix }, rule) => (fix.alerts & ruleNumber(rule, 'mask')!) !== 0),
  reported: (firing) => ({ raised: raisedOf(firing) }),
};

/** The bits of the position that the trigger watches. */
const raisedOf = ({ rule, facts }: Pick<FiringContent, 'rule' | 'facts'>) =>
  (facts.alerts as number) & ruleNumber(rule, 'mask')!;
