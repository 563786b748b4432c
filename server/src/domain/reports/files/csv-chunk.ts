import { MOST_REPORT_DEVICES } from '@trackway/contract/resources/fleet-report.ts';
import { REPORT_WORDS } from '@trackway/contract/wording/reports/report-wordings.ts';
import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import type { TextChunk } from '../../chunked-text.ts';
import type { Tables } from '../../schema/tables.ts';
import { TooManyFixes } from '../../tracking/api/vehicle-track.ts';
import { chosenDevices } from '../chosen-devices.ts';
import { type FleetReport, type FleetReportMade, KINDS } from '../fleet-report.ts';
import { UnknownFence } from '../kinds/wanted-fences.ts';
import { csvLine, csvOf } from './csv.ts';
import type { ReportFileWanted } from './report-file.ts';
import { rowCells, tableOf } from './table.ts';

/** How far a file is: the last device whose rows are written, and how many rows there are. */
export interface WrittenSoFar {
  readonly deviceId: number;
  readonly rows: number;
}

export interface CsvWanted extends Omit<ReportFileWanted, 'format' | 'shown'> {
  readonly mostRows: number;
  readonly after?: WrittenSoFar;
}

/** A chunk ends with the device that makes it so long, or at which so much time has passed. */
const ROWS = 2000;
const LONG_MS = 1000;

/**
 * The next rows of a report as CSV. Which devices the caller may view is asked again for each chunk. The last line says
 * that rows are missing, where they are.
 */
export const csvChunk = defineReadWork(
  import.meta.url,
  async (
    workplace: Workplace<Tables>,
    wanted: CsvWanted,
  ): Promise<TextChunk<WrittenSoFar> | Exclude<FleetReportMade, FleetReport>> => {
    const { after, mostRows, language } = wanted;
    const devices = await chosenDevices(workplace, wanted, after?.deviceId);
    if ('field' in devices) return { unknown: devices };
    const started = performance.now();
    const cut = () => csvLine([REPORT_WORDS[language].cut(rows)]);
    let rows = after?.rows ?? 0;
    const before = rows;
    let text = after === undefined ? csvOf(tableOf(wanted, [])) : '';
    try {
      const rowsOf = await KINDS[wanted.kind](workplace, wanted);
      const cellsOf = rowCells(wanted);
      for (const device of devices) {
        for (const row of await rowsOf(device)) {
          if (rows === mostRows) return { text: text + cut() };
          text += csvLine(cellsOf(row));
          rows++;
        }
        if (rows - before >= ROWS || performance.now() - started > LONG_MS)
          return { text, after: { deviceId: device.id, rows } };
      }
    } catch (error) {
      if (error instanceof UnknownFence) return { unknown: { field: 'fenceIds', id: error.id } };
      if (!(error instanceof TooManyFixes)) throw error;
      // What is on its way already cannot be refused any more.
      return after === undefined ? 'tooMuch' : { text: text + cut() };
    }
    if (wanted.tag !== undefined || devices.length <= MOST_REPORT_DEVICES) return { text };
    // There may be more devices than are found at once.
    return { text, after: { deviceId: devices.at(-1)!.id, rows } };
  },
);
