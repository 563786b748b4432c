import { BY_TIMER, type TriggerDefinition } from '../evaluator.ts';

export const expiresDaily: TriggerDefinition = {
  evaluator: BY_TIMER,
  sentence: (device) => `The plan of ${device} ends within a day`,
};

export const expiresWeekly: TriggerDefinition = {
  evaluator: BY_TIMER,
  sentence: (device) => `The plan of ${device} ends within a week`,
};
