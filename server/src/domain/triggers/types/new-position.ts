import { isLocated } from '../../fix.ts';
import { eachFix, type TriggerDefinition } from '../evaluator.ts';

const AWAKE = 0;
const AVAILABLE = 2;

export const newLoc: TriggerDefinition = {
  evaluator: eachFix('position', ({ fix }) => isLocated(fix)),
};

export const newWakeLoc: TriggerDefinition = {
  evaluator: eachFix('position', ({ fix, moving }) => isLocated(fix) && (fix.mode === AWAKE || moving)),
};

export const newAvailLoc: TriggerDefinition = {
  evaluator: eachFix('position', ({ fix }) => isLocated(fix) && fix.mode === AVAILABLE),
};
