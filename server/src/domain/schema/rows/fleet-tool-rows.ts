import type { Generated } from 'kysely';
import type { Identified } from './identified.ts';

/** What a device needs again and again. */
export interface MaintenanceTaskRow extends Identified {
  deviceId: number;
  name: string;
  note: string | null;
  everyKm: number | null;
  everyHours: number | null;
  hoursOf: 'driving' | 'engine';
  everyMonths: number | null;
  dueOn: number | null;
  remindKm: number | null;
  remindHours: number | null;
  remindDays: number | null;
  since: number;
  odometer: number | null;
  /** Another number each time it was done or changed, so that it is told anew. */
  round: Generated<number>;
  /** When the clock is to look at it again. */
  lookAt: Generated<number>;
  created: number;
}

export interface MaintenanceRecordRow extends Identified {
  deviceId: number;
  taskId: number | null;
  userId: number | null;
  name: string;
  doneAt: number;
  odometer: number | null;
  distanceKm: number;
  hours: number | null;
  note: string | null;
  created: number;
}

/** A trigger has told that a task is due, or will be soon. */
export interface MaintenanceToldRow {
  taskId: number;
  triggerId: number;
  round: number;
  status: 'soon' | 'due';
}

export interface DriverRow extends Identified {
  userId: number;
  name: string;
  phone: string | null;
  note: string | null;
  /** JSON: the tags as `spelled` writes them. */
  tags: string | null;
  created: number;
}

/** Somebody signed a driver on, or off where there is none. */
export interface DriverSignOnRow extends Identified {
  deviceId: number;
  driverId: number | null;
  at: number;
  userId: number | null;
  created: number;
}
