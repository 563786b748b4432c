import { eachFix } from '../each-fix.ts';
import type { FiringContent, TriggerDefinition } from '../evaluator.ts';
import { ruleNumber } from '../rule-number.ts';

/** Bits of a position's `alertType`. */
const DROP = 1;
const BUTTON = 8;
/** From the lowest bit on. */
const NAMES = ['drop', 'rotation', 'jamming', 'button', 'generic', 'ignition'];

export const button: TriggerDefinition = {
  evaluator: eachFix('button', ({ fix }) => (fix.alerts & BUTTON) !== 0),
  sentence: (device) => `The button of ${device} was pressed`,
};

export const acc: TriggerDefinition = {
  evaluator: eachFix('drop', ({ fix }) => (fix.alerts & DROP) !== 0),
  sentence: (device) => `${device} was dropped`,
};

export const alertMode: TriggerDefinition = {
  evaluator: eachFix('alert', ({ fix }, rule) => (fix.alerts & ruleNumber(rule, 'mask')!) !== 0),
  sentence(device, { rule, facts }) {
    const raised = raisedOf({ rule, facts });
    const names = NAMES.filter((_, bit) => (raised & (1 << bit)) !== 0);
    return `${device} raised an alert${names.length > 0 ? `: ${names.join(', ')}` : ''}`;
  },
  told: (firing) => ({ raised: raisedOf(firing) }),
};

/** Of the bits of the position those that the trigger watches. */
const raisedOf = ({ rule, facts }: Pick<FiringContent, 'rule' | 'facts'>) =>
  (facts.alerts as number) & ruleNumber(rule, 'mask')!;
