import { eachFix } from '../each-fix.ts';
import type { TriggerDefinition } from '../evaluator.ts';
import { ruleNumber } from '../rule-number.ts';

/** Bits of a position's `alertType`. */
const DROP = 1;
const BUTTON = 8;

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
  sentence: (device) => `${device} raised an alert`,
};
