import type { AlarmWord } from '../alarm-words.ts';

/** Values of an EMG report. */
export const EMERGENCIES: ReadonlyMap<number, AlarmWord> = new Map([
  [1, 'sos'],
  // Parking: the vehicle was moved while it was locked.
  [2, 'general'],
  [3, 'powerCut'],
  [5, 'door'],
  [6, 'door'],
  [7, 'movement'],
  [8, 'vibration'],
]);

/** Values of an ALT report. */
export const ALERTS: ReadonlyMap<number, AlarmWord> = new Map([
  [1, 'overspeed'],
  [3, 'antennaCut'],
  [5, 'geofenceExit'],
  [6, 'geofenceEnter'],
  [8, 'antennaCut'],
  [13, 'fault'],
  [14, 'lowBattery'],
  [15, 'vibration'],
  [16, 'crash'],
  [33, 'ignitionOn'],
  [34, 'ignitionOff'],
  [40, 'powerRestored'],
  [41, 'powerCut'],
  [42, 'sos'],
  [44, 'powerCut'],
  [45, 'fault'],
  [46, 'harshAcceleration'],
  [47, 'harshBraking'],
  [48, 'harshCornering'],
  [50, 'jamming'],
  [68, 'idle'],
  [132, 'door'],
]);

export const DRIVER_ALERT = 59;
