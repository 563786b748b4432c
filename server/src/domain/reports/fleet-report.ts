import {
  type FleetReportKind,
  MOST_REPORT_DEVICES,
  MOST_REPORT_ROWS,
} from '@trackway/contract/resources/fleet-report.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';
import { TooManyFixes } from '../tracking/api/vehicle-track.ts';
import { messages, notifications } from './kinds/counts.ts';
import { drivers } from './kinds/drivers.ts';
import { idling } from './kinds/idling.ts';
import { readings } from './kinds/readings.ts';
import { speeding } from './kinds/speeding.ts';
import { days, stops, summary, trips } from './kinds/trips.ts';
import { utilisation } from './kinds/utilisation.ts';
import { visits } from './kinds/visits.ts';
import { namingPlaces, UnknownFence } from './kinds/wanted-fences.ts';
import { chosenDevices, type UnknownChoice } from './report-request.ts';
import type { FleetReportRow, FleetReportWanted, ReportKind } from './report-row.ts';

export interface FleetReport {
  readonly rows: FleetReportRow[];
  readonly isComplete: boolean;
  /** The included devices. */
  readonly deviceIds: readonly number[];
}

export type FleetReportMade = FleetReport | { readonly unknown: UnknownChoice } | 'tooMuch';

export const KINDS: Readonly<Record<FleetReportKind, ReportKind>> = {
  summary,
  days,
  trips: namingPlaces(trips),
  stops: namingPlaces(stops),
  visits,
  speeding: namingPlaces(speeding),
  idling: namingPlaces(idling),
  drivers,
  utilisation,
  readings,
  notifications,
  messages,
};

/** A report on several devices in a time range, device by device. */
export const fleetReport = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, wanted: FleetReportWanted): Promise<FleetReportMade> => {
    const chosen = await chosenDevices(workplace, wanted);
    if ('field' in chosen) return { unknown: chosen };
    const devices = chosen.slice(0, MOST_REPORT_DEVICES);
    const deviceIds = devices.map(({ id }) => id);
    const { mostRows = MOST_REPORT_ROWS } = wanted;
    const rows: FleetReportRow[] = [];
    try {
      const rowsOf = await KINDS[wanted.kind](workplace, wanted);
      for (const device of devices) {
        for (const row of await rowsOf(device)) {
          if (rows.length === mostRows) return { rows, isComplete: false, deviceIds };
          rows.push(row);
        }
      }
    } catch (error) {
      if (error instanceof UnknownFence) return { unknown: { field: 'fenceIds', id: error.id } };
      if (error instanceof TooManyFixes) return 'tooMuch';
      throw error;
    }
    return { rows, isComplete: chosen.length <= MOST_REPORT_DEVICES, deviceIds };
  },
);
