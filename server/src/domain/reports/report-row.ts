import type { FleetReportKind } from '@trackway/contract/resources/fleet-report.ts';
import type { Scope } from '../../platform/collection.ts';
import type { Place } from '../../platform/sphere.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';

/** Which devices: these, those of a group and the groups below it, those with a tag, or all. */
export interface ChosenDevices {
  readonly deviceIds?: readonly number[];
  readonly groupId?: number;
  readonly tag?: string;
}

export interface FleetReportWanted extends ChosenDevices {
  readonly kind: FleetReportKind;
  /** Whose geofences, groups, limits and notifications count. */
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
  /** As many as an answer of the API has, if absent. */
  readonly mostRows?: number;
}

/** As the API shows it, but with times in epoch milliseconds. */
export interface FleetReportRow {
  deviceId: number;
  name: string | null;
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
}

/** The rows of one device, in their order. */
export type RowsOf = (device: ReportedDevice) => Promise<FleetReportRow[]>;

/** A kind of report: prepares what all devices have in common. */
export type ReportKind = (workplace: Workplace<Tables>, wanted: FleetReportWanted) => RowsOf | Promise<RowsOf>;

export const emptyRow = ({ id, name }: ReportedDevice): FleetReportRow => ({
  deviceId: id,
  name,
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
