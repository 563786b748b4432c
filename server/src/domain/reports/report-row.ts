import type { FleetReportKind } from '@trackway/contract/resources/fleet-report.ts';
import type { Scope } from '../../platform/collection.ts';
import type { Place } from '../../platform/sphere.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';

/** Selects devices: by id, by group including subgroups, by tag, or all. */
export interface ChosenDevices {
  readonly deviceIds?: readonly number[];
  readonly groupId?: number;
  readonly tag?: string;
}

export interface FleetReportWanted extends ChosenDevices {
  readonly kind: FleetReportKind;
  /** The user whose geofences, groups, limits and notifications are used. */
  readonly userId: number;
  /** The devices that the caller may view. */
  readonly scope: Scope;
  /** Whether the caller's geofences may name places. */
  readonly namesPlaces: boolean;
  readonly fenceIds?: readonly number[];
  readonly limitKmh?: number;
  readonly from: number;
  readonly to: number;
  readonly tz: string;
  readonly now: number;
  /** The API's limit if absent. */
  readonly mostRows?: number;
}

/** As in the API, but with times in epoch milliseconds. */
export interface FleetReportRow {
  deviceId: number;
  name: string | null;
  plate: string | null;
  day: string | null;
  start: number | null;
  end: number | null;
  trips: number | null;
  days: number | null;
  distance: number | null;
  duration: number | null;
  idle: number | null;
  maxSpeed: number | null;
  startLocation: Place | null;
  endLocation: Place | null;
  startPlace?: string | null;
  endPlace?: string | null;
  driverId?: number | null;
  driver?: string | null;
  fenceId?: number;
  fence?: string | null;
  entered?: boolean;
  left?: boolean;
  limit?: number;
  harsh?: number;
  speeding?: number;
  score?: number | null;
  driving?: number;
  standing?: number;
  ignition?: number | null;
  share?: number;
  type?: string;
  count?: number;
  open?: number;
  min?: number;
  mean?: number;
  max?: number;
}

export interface ReportedDevice {
  readonly id: number;
  readonly name: string | null;
  readonly plate: string | null;
}

/** The rows of one device, in order. */
type RowsOf = (device: ReportedDevice) => Promise<FleetReportRow[]>;

/** A kind of report: prepares what all devices share. */
export type ReportKind = (workplace: Workplace<Tables>, wanted: FleetReportWanted) => RowsOf | Promise<RowsOf>;

export const emptyRow = ({ id, name, plate }: ReportedDevice): FleetReportRow => ({
  deviceId: id,
  name,
  plate,
  day: null,
  start: null,
  end: null,
  trips: null,
  days: null,
  distance: null,
  duration: null,
  idle: null,
  maxSpeed: null,
  startLocation: null,
  endLocation: null,
});
