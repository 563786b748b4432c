import {
  type FleetReportKind,
  MOST_REPORT_DEVICES,
  MOST_REPORT_ROWS,
} from '@trackway/contract/resources/fleet-report.ts';
import type { Scope } from '../../../platform/collection.ts';
import { fingerprint } from '../../../platform/secrets.ts';
import { ID_LIST } from '../../../platform/storage/id-list.ts';
import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import type { Tables } from '../../schema/tables.ts';
import { type DayTrip, summarize } from '../days.ts';
import { touchingCells, touchingSql } from '../touching.ts';

export interface FleetReportWanted {
  readonly kind: FleetReportKind;
  /** The devices that the caller may view, as `d`. */
  readonly scope: Scope;
  readonly deviceIds?: readonly number[];
  readonly from: number;
  readonly to: number;
  readonly tz: string;
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
  startLocation: Spot | null;
  endLocation: Spot | null;
}

interface Spot {
  readonly lat: number;
  readonly lng: number;
}

export interface FleetReport {
  readonly rows: FleetReportRow[];
  readonly isComplete: boolean;
  /** Of those that were asked for, the first that the caller may not view. */
  readonly unknown?: number;
}

interface Device {
  readonly id: number;
  readonly name: string | null;
}
type StoredTrip = DayTrip &
  Record<'startLocationLat' | 'startLocationLng' | 'endLocationLat' | 'endLocationLng', number>;
interface StoredStop {
  readonly start: number;
  readonly end: number;
  readonly locationLat: number;
  readonly locationLng: number;
}

const SUMMED = ['start', 'end', 'distance', 'idle', 'maxSpeed'] as const;
const PLACES = ['startLocationLat', 'startLocationLng', 'endLocationLat', 'endLocationLng'] as const;

/** What several devices did in a range of time, device by device: a few steps in an index for each. */
export const fleetReport = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, wanted: FleetReportWanted): Promise<FleetReport> => {
    const devices = await devicesOf(workplace, wanted);
    const unknown = wanted.deviceIds?.find((id) => !devices.some((device) => device.id === id));
    if (unknown !== undefined) return { rows: [], isComplete: false, unknown };
    const rowsOf = rowsBy(workplace, wanted);
    const rows: FleetReportRow[] = [];
    for (const device of devices.slice(0, MOST_REPORT_DEVICES)) {
      for (const row of await rowsOf(device)) {
        if (rows.length === MOST_REPORT_ROWS) return { rows, isComplete: false };
        rows.push(row);
      }
    }
    return { rows, isComplete: devices.length <= MOST_REPORT_DEVICES };
  },
);

function devicesOf(workplace: Workplace<Tables>, { scope, deviceIds }: FleetReportWanted) {
  const list = ID_LIST[workplace.storeKind];
  const among = deviceIds === undefined ? '' : ` AND d."id" IN (SELECT i."id" FROM (${list}) i)`;
  const sql = `SELECT d."id", d."name" FROM "devices" d WHERE (${scope.sql})${among} ORDER BY d."id" LIMIT ${MOST_REPORT_DEVICES + 1}`;
  // The text differs by what a token is limited to.
  const devices = workplace.prepare<Device>(`fleetReport.devices.${fingerprint(sql)}`, sql);
  return devices.all(...scope.cells, ...(deviceIds === undefined ? [] : [JSON.stringify(deviceIds)]));
}

function rowsBy(
  workplace: Workplace<Tables>,
  { kind, from, to, tz }: FleetReportWanted,
): (device: Device) => Promise<FleetReportRow[]> {
  const cellsOf = ({ id }: Device) => touchingCells({ deviceId: id, from, to });
  if (kind === 'stops') {
    const stops = workplace.prepare<StoredStop>(
      'fleetReport.stops',
      touchingSql('stops', ['start', 'end', 'locationLat', 'locationLng']),
    );
    return async (device) =>
      (await stops.all(...cellsOf(device))).map(({ start, end, locationLat: lat, locationLng: lng }) => ({
        ...emptyRow(device),
        start,
        end,
        duration: Math.max(0, Math.min(end, to) - Math.max(start, from)) / 1000,
        startLocation: { lat, lng },
      }));
  }
  if (kind === 'trips') {
    const trips = workplace.prepare<StoredTrip>('fleetReport.trips', touchingSql('trips', [...SUMMED, ...PLACES]));
    return async (device) => (await trips.all(...cellsOf(device))).map((trip) => tripRow(device, trip));
  }
  const trips = workplace.prepare<DayTrip>('fleetReport.sums', touchingSql('trips', SUMMED));
  return async (device) => {
    const found = await trips.all(...cellsOf(device));
    const days = summarize(found, tz, { from, to });
    if (kind === 'days') return days.map((day) => ({ ...emptyRow(device), ...day }));
    const within = found.filter(({ start, end }) => start < to && end > from);
    const sum = (name: 'distance' | 'duration' | 'idle') => days.reduce((total, day) => total + day[name], 0);
    return [
      {
        ...emptyRow(device),
        start: within.length === 0 ? null : Math.max(from, within[0]!.start),
        end: within.length === 0 ? null : Math.min(to, Math.max(...within.map(({ end }) => end))),
        trips: within.length,
        days: days.length,
        distance: sum('distance'),
        duration: sum('duration'),
        idle: sum('idle'),
        maxSpeed: days.reduce((most, day) => Math.max(most, day.maxSpeed), 0),
      },
    ];
  };
}

const emptyRow = ({ id, name }: Device): FleetReportRow => ({
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

const tripRow = (device: Device, trip: StoredTrip): FleetReportRow => ({
  ...emptyRow(device),
  start: trip.start,
  end: trip.end,
  distance: trip.distance,
  duration: (trip.end - trip.start) / 1000,
  idle: trip.idle,
  maxSpeed: trip.maxSpeed,
  startLocation: { lat: trip.startLocationLat, lng: trip.startLocationLng },
  endLocation: { lat: trip.endLocationLat, lng: trip.endLocationLng },
});
