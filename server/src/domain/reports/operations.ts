import type { BodyOf } from '@trackway/contract/operations.ts';
import {
  type fleetReportOperations as contract,
  MOST_FILE_ROWS,
  REPORT_COMPLETE,
} from '@trackway/contract/resources/fleet-report.ts';
import { type Call, FileAnswer, FileStream, type Handlers } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { invalidField } from '../../refusals.ts';
import { chunkedText, type TextChunk } from '../chunked-text.ts';
import { ownerOf, unlessBusy } from '../family.ts';
import { getRow } from '../rows.ts';
import type { Store } from '../schema/tables.ts';
import { speechOf } from '../users/speech.ts';
import { type CsvWanted, csvChunk, type WrittenSoFar } from './files/csv-chunk.ts';
import { FILE_TYPES, fileNameOf, reportFile } from './files/report-file.ts';
import { type FleetReport, type FleetReportMade, fleetReport } from './fleet-report.ts';
import {
  chosenBy,
  reachesFences,
  requireColumns,
  requireFamily,
  requireRange,
  requireZone,
  scopeFor,
  type UnknownChoice,
} from './report-request.ts';
import type { FleetReportWanted } from './report-row.ts';

const CONTEXT = 'fleetReport';

/** Reports on several devices, from stored results of the engine. */
export function fleetReportOperations(store: Store, mostRows = MOST_FILE_ROWS): Handlers<keyof typeof contract> {
  const reportOf = store.readWork(fleetReport);
  const fileOf = store.readWork(reportFile);
  const chunkOf = store.readWork(csvChunk);
  const csvFile = chunkedText('reports', async (wanted: CsvWanted, owner) =>
    madeOf<TextChunk<WrittenSoFar>>(CONTEXT, await chunkOf(wanted, owner)),
  );
  return {
    async fleetReport(call) {
      const wanted = wantedBy(call);
      const { rows, isComplete } = madeOf(CONTEXT, await unlessBusy('reports', reportOf(wanted, ownerOf(call))));
      return {
        kind: wanted.kind,
        from: isoOf(wanted.from)!,
        to: isoOf(wanted.to)!,
        rows: rows.map((row) => ({ ...row, start: isoOf(row.start), end: isoOf(row.end) })),
        isComplete,
      };
    },

    async fleetReportFile(call) {
      const { caller, body } = call;
      const wanted = wantedBy(call);
      const format = body.format ?? 'csv';
      const columns = requireColumns(CONTEXT, wanted.kind, body.columns);
      const speech = await speechOfUser(store, caller.userId);
      const language = body.language ?? speech.language;
      // Spreadsheets compute with the units of the API; people read a PDF.
      const units = format === 'pdf' ? { units: speech.units } : {};
      const asked = {
        ...{ ...wanted, ...units, mostRows: mostRows[format], format, language, shown: 0 },
        ...(columns && { columns }),
      };
      const [type, name] = [FILE_TYPES[format], fileNameOf(asked)];
      if (format === 'csv') return new FileStream(type, name, await csvFile(asked, ownerOf(call)));
      const { bytes, isComplete } = madeOf(CONTEXT, await unlessBusy('reports', fileOf(asked, ownerOf(call))));
      return new FileAnswer(type, name, bytes, { [REPORT_COMPLETE]: String(isComplete) });
    },
  };
}

function wantedBy({ caller, body, now }: Call<BodyOf<keyof typeof contract>>): FleetReportWanted {
  const kind = body.kind!;
  requireFamily(caller, kind, Boolean(body.fenceIds));
  const [from, to] = [timeOf(body.from), timeOf(body.to)];
  const tz = body.tz || 'UTC';
  requireRange(CONTEXT, from, to);
  requireZone(CONTEXT, 'tz', tz);
  return {
    ...chosenBy(CONTEXT, body),
    ...(body.fenceIds && { fenceIds: body.fenceIds }),
    ...(body.limit && { limitKmh: body.limit }),
    ...{ kind, userId: caller.userId, scope: scopeFor(caller), namesPlaces: reachesFences(caller) },
    ...{ from, to, tz, now },
  };
}

async function speechOfUser(store: Store, userId: number) {
  const user = await getRow(store.query, 'users', { id: userId }, ['language', 'units']);
  return speechOf(user);
}

const WHAT: Readonly<Record<UnknownChoice['field'], string>> = {
  deviceIds: 'a device you have no access to',
  groupId: 'a group you have no access to',
  fenceIds: 'a geofence you have no access to',
};

/** The report, or the error if it cannot be created. */
function madeOf<Made extends object>(context: string, made: Made | Exclude<FleetReportMade, FleetReport>): Made {
  if (made === 'tooMuch') throw badRequest('too much to search: request a shorter period or fewer devices');
  if (!('unknown' in made)) return made as Made;
  const { field, id } = made.unknown;
  throw invalidField(context, field, 'unknown', `names ${WHAT[field]}: ${id}`);
}

const timeOf = (time: string | null | undefined) => new Date(time!).getTime();
const isoOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());
