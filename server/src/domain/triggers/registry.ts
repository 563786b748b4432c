import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { TriggerDefinition } from './evaluator.ts';
import { alarm } from './types/alarm.ts';
import { acc, alertMode, button } from './types/alerts.ts';
import { distance } from './types/distance.ts';
import { extAccel } from './types/force.ts';
import { geoEntry, geofence } from './types/geofence.ts';
import { lowBat } from './types/low-battery.ts';
import { maintenance } from './types/maintenance.ts';
import { humidity, lightLevel, pressure, temp, temp_bme, ultraLevel } from './types/measured.ts';
import { motionStart, motionStop } from './types/motion.ts';
import { newMsg } from './types/new-message.ts';
import { newAvailLoc, newLoc, newWakeLoc } from './types/new-position.ts';
import { newReading } from './types/new-reading.ts';
import { offline } from './types/offline.ts';
import { expiresDaily, expiresWeekly } from './types/plan-expiry.ts';
import { proximity } from './types/proximity.ts';
import { speed } from './types/speed.ts';
import { tow } from './types/tow.ts';

/** Every type of trigger. One that the contract has and this list lacks does not compile. */
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
