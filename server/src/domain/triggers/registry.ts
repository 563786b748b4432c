import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Evaluator } from './evaluator.ts';
import { acc, alertMode, button, newAvailLoc, newLoc, newMsg, newReading, newWakeLoc } from './types/each.ts';
import {
  distance,
  extAccel,
  humidity,
  lightLevel,
  lowBat,
  pressure,
  speed,
  temp,
  temp_bme,
  ultraLevel,
} from './types/levels.ts';
import { motionStart, motionStop } from './types/moving.ts';
import { geoEntry, geofence } from './types/zones.ts';

/** Not decided by what the device says: judged once, when something arrives or by the server's clock. */
const outsideFixTime: Evaluator = {};

/** How each type decides. The compiler asks for every one of them. */
export const EVALUATORS: Record<TriggerTypeName, Evaluator> = {
  newLoc,
  newWakeLoc,
  newAvailLoc,
  newReading,
  newMsg,
  geofence,
  geoEntry,
  lowBat,
  speed,
  distance,
  temp,
  temp_bme,
  humidity,
  pressure,
  lightLevel,
  ultraLevel,
  button,
  acc,
  alertMode,
  extAccel,
  motionStart,
  motionStop,
  proximity: outsideFixTime,
  offline: outsideFixTime,
  expiresDaily: outsideFixTime,
  expiresWeekly: outsideFixTime,
};
