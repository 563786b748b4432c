import { BY_TIMER, type FiringContent, type TriggerDefinition } from '../evaluator.ts';
import { lasting, rounded } from '../wording.ts';

/** " in 480 km": what is left of the way, or of the time. */
function inRest({ facts: { restKm, restS } }: FiringContent): string {
  if (typeof restKm === 'number') return ` in ${rounded(restKm)} km`;
  return typeof restS === 'number' ? ` in ${lasting(Math.max(0, restS))}` : '';
}

export const maintenance: TriggerDefinition = {
  evaluator: BY_TIMER,
  sentence: (device, firing) =>
    `Maintenance of ${device} is due${firing.kind === 'due' ? '' : inRest(firing)}: ${firing.facts.task}`,
  told: ({ kind }) => ({ isDue: kind === 'due' }),
};
