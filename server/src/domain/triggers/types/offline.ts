import { BY_TIMER, type TriggerDefinition } from '../evaluator.ts';
import { ruleNumber } from '../rule-number.ts';
import { lasting } from '../wording.ts';

export const offline: TriggerDefinition = {
  evaluator: BY_TIMER,
  sentence: (device, { rule }) => `Nothing was received from ${device} for ${lasting(ruleNumber(rule, 'after')!)}`,
};
