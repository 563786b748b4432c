import { messagesIn } from '@trackway/contract/messages/messages.ts';
import { MOST_REPORT_DEVICES } from '@trackway/contract/resources/fleet-report.ts';
import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import type { TextChunk } from '../../chunked-text.ts';
import type { Tables } from '../../schema/tables.ts';
import { TooManyFixes } from '../../tracking/api/vehicle-track.ts';
import { type FleetReport, type FleetReportMade, KINDS } from '../fleet-report.ts';
import { UnknownFence } from '../kinds/wanted-fences.ts';
import { chosenDevices } from '../report-request.ts';
import { csvLine, csvOf } from './csv.ts';
import type { ReportFileWanted } from './report-file.ts';
import { rowCells, tableOf } from './table.ts';

/** The progress of a file: the last device with written rows, and the number of rows. */
export interface WrittenSoFar {
  readonly deviceId: number;
  readonly rows: number;
}

export interface CsvWanted extends Omit<ReportFileWanted, 'format' | 'shown'> {
  readonly mostRows: number;
  readonly after?: WrittenSoFar;
}

/** A chunk ends with the device that reaches this number of rows, or this time. */
const ROWS = 2000;
const LONG_MS = 1000;

/**
 * The next rows of a report as CSV. The caller's access to devices is checked again for each chunk. The last line says
 * if rows are missing.
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
    const cut = () => csvLine([messagesIn(language).reportWords.cut({ rows })]);
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
      // A started response can no longer be rejected.
      return after === undefined ? 'tooMuch' : { text: text + cut() };
    }
    if (wanted.tag !== undefined || devices.length <= MOST_REPORT_DEVICES) return { text };
    // There may be more devices than one query returns.
    return { text, after: { deviceId: devices.at(-1)!.id, rows } };
  },
);
