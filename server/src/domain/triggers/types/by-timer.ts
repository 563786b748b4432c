import { BY_TIMER, ruleNumber, type TriggerDefinition } from '../evaluator.ts';

/** Types that timers of the engine fire. */

export const offline: TriggerDefinition = {
  evaluator: BY_TIMER,
  reported: ({ rule }) => ({ after: ruleNumber(rule, 'after') }),
};
export const proximity: TriggerDefinition = { evaluator: BY_TIMER };
export const expiresDaily: TriggerDefinition = { evaluator: BY_TIMER };
export const expiresWeekly: TriggerDefinition = { evaluator: BY_TIMER };
export const maintenance: TriggerDefinition = {
  evaluator: BY_TIMER,
  reported: ({ kind }) => ({ isDue: kind === 'due' }),
};
