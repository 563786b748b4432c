import { BY_TIMER, type TriggerDefinition } from '../evaluator.ts';

export const proximity: TriggerDefinition = {
  evaluator: BY_TIMER,
  sentence: (device, { facts }) => `${device} is near ${facts.otherName ?? 'another device'}`,
};
