import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { TriggerDefinition } from './evaluator.ts';
import { alarm } from './types/alarm.ts';
import { acc, alertMode, button } from './types/alerts.ts';
import { expiresDaily, expiresWeekly, maintenance, offline, proximity } from './types/by-timer.ts';
import { distance } from './types/distance.ts';
import { extAccel } from './types/force.ts';
import { geoEntry, geofence } from './types/geofence.ts';
import { lowBat } from './types/low-battery.ts';
import { humidity, lightLevel, pressure, temp, temp_bme, ultraLevel } from './types/measured.ts';
import { motionStart, motionStop } from './types/motion.ts';
import { newMsg } from './types/new-message.ts';
import { newAvailLoc, newLoc, newWakeLoc } from './types/new-position.ts';
import { newReading } from './types/new-reading.ts';
import { speed } from './types/speed.ts';
import { tow } from './types/tow.ts';

/** All trigger types. A type of the contract that is missing here is a compile error. */
export const TRIGGERS: Readonly<Record<TriggerTypeName, TriggerDefinition>> = {
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
  alarm,
  extAccel,
  proximity,
  motionStart,
  motionStop,
  tow,
  offline,
  expiresDaily,
  expiresWeekly,
  maintenance,
};
