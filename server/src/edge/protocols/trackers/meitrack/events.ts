import type { AlarmWord } from '../alarm-words.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';

const ALARMS: ReadonlyMap<number, AlarmWord> = new Map([
  [1, 'sos'],
  [17, 'lowBattery'],
  [18, 'lowExternalPower'],
  [19, 'overspeed'],
  [20, 'geofenceEnter'],
  [21, 'geofenceExit'],
  [22, 'powerRestored'],
  [23, 'powerCut'],
  [28, 'antennaCut'],
  [36, 'tow'],
  [40, 'powerOff'],
  [44, 'jamming'],
  [50, 'temperature'],
  [51, 'temperature'],
  [78, 'crash'],
  [79, 'fall'],
  [90, 'harshCornering'],
  [91, 'harshCornering'],
  [109, 'fatigue'],
  [129, 'harshBraking'],
  [130, 'harshAcceleration'],
  [133, 'idle'],
  [135, 'fatigue'],
]);

export const EVENT = { rfid: 37, stopped: 41, moves: 42, answersPosition: 34, periodic: 35 } as const;

/** What an event number says. */
export function eventFacts(event: number): Pick<TrackerRecord, 'alarms'> & { readings: TrackerReading[] } {
  const alarm = ALARMS.get(event);
  const readings: TrackerReading[] = event === EVENT.periodic ? [] : [{ type: 'event_code', value: event }];
  if (event === EVENT.stopped || event === EVENT.moves) readings.push({ type: 'moving', value: event === EVENT.moves });
  return { ...(alarm ? { alarms: [alarm] } : {}), readings };
}

/** Bits of a port, the lowest first. */
export const portReadings = (name: 'din' | 'dout', bits: number): TrackerReading[] =>
  Array.from({ length: 8 }, (_, index) => ({ type: `${name}${index + 1}`, value: (bits & (1 << index)) !== 0 }));
