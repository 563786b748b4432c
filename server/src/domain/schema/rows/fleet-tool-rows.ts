import type { FleetReportKind, ReportFileFormat } from '@trackway/contract/resources/fleet-report.ts';
import type { ReportTurn, SavedPeriod } from '@trackway/contract/resources/fleet-tools/saved-report.ts';
import type { Generated } from 'kysely';
import type { Identified } from './device-rows.ts';

/** The vehicle that a device is in. */
export interface VehicleRow extends Identified {
  deviceId: number;
  plate: string | null;
  vin: string | null;
  /** In kilometres, as it was entered. */
  odometer: number | null;
  odometerAt: number | null;
  /** What the tracker reported when it was entered: the type of the reading and its metres. */
  trackerType: string | null;
  trackerMetres: number | null;
  photoType: string | null;
  /** In base64. */
  photo: string | null;
}

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
  /** Increased each time the task is done or changed, so that it is notified again. */
  round: Generated<number>;
  /** When the clock is to look at it again. */
  checkAt: Generated<number>;
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

export interface DriverRow extends Identified {
  userId: number;
  name: string;
  phone: string | null;
  note: string | null;
  /** JSON: the tags as `spelled` writes them. */
  tags: string | null;
  created: number;
}

/** A manual sign-on of a driver, or a sign-off if there is none. */
export interface DriverSignOnRow extends Identified {
  deviceId: number;
  driverId: number | null;
  at: number;
  userId: number | null;
  created: number;
}

export interface SavedReportRow extends Identified {
  userId: number;
  name: string;
  kind: FleetReportKind;
  deviceIds: string | null;
  groupId: number | null;
  tag: string | null;
  fenceIds: string | null;
  limit: number | null;
  period: SavedPeriod;
  /** As "2026-06-01"; null where the period is no certain days. */
  firstDay: string | null;
  lastDay: string | null;
  columns: string | null;
  format: ReportFileFormat;
  every: ReportTurn;
  time: string;
  weekday: number;
  monthday: number;
  timeZone: string | null;
  /** Null where it is never mailed by itself. */
  nextAt: number | null;
  lastAt: number | null;
  lastResult: string | null;
  /** E-mail addresses; null for the address of the user. */
  recipients: string | null;
  created: number;
}

/** A process that shares the database with others, as it last reported. */
export interface NodeRow {
  id: string;
  name: string;
  version: string;
  /** The newest migration in its code. */
  schema: string;
  address: string;
  startedAt: number;
  seenAt: number;
  /** When it stopped, or was found to be gone. */
  goneAt: number | null;
  lagMs: number;
  clockAheadMs: number;
  /** JSON of its rates, streams and memory. */
  figures: string;
  /** JSON: what it alone does, and how many of it. */
  owns: string;
}

/** What all nodes have counted of a key in a minute. */
export interface RateCountRow {
  minute: number;
  name: string;
  key: string;
  count: number;
}
