import { Type } from 'typebox';
import { answerOf, create, list, operation, read } from '../../operation.ts';
import { id, integer, key, list as listOf, noun, required, text, time } from '../../schema.ts';

/** Maximum number of positions in one call. */
export const MOST_IMPORTED_AT_ONCE = 2000;

/** An imported position: time in epoch milliseconds, latitude, longitude, then optional values or null. */
export type ImportedPosition = readonly (number | null)[];
export const IMPORTED_COLUMNS = [
  'timestamp',
  'lat',
  'lng',
  'speed',
  'altitude',
  'course',
  'accuracy',
  'battery',
] as const;

export const historyImport = noun(
  'historyImport',
  {
    id: id(),
    deviceId: key('Id of the device.', { readOnly: true }),
    name: text('Name of the file.', { maxLength: 200 }),
    format: text('Format of the file, such as `gpx`.', { maxLength: 40 }),
    status: Type.Enum(['open', 'judging', 'done'], {
      title: 'import status',
      readOnly: true,
      description: '`open`: accepts positions. `judging`: trips and stops are being built. `done`.',
    }),
    received: integer('Positions sent so far. An interrupted import continues after them.', { readOnly: true }),
    stored: integer('Positions that were new.', { readOnly: true }),
    duplicates: integer('Positions that the device already had.', { readOnly: true }),
    refused: integer('Rejected positions: without a time or place, before 2000, or in the future.', {
      readOnly: true,
    }),
    firstAt: time('Time of the earliest position.', { readOnly: true }),
    lastAt: time('Time of the latest position.', { readOnly: true }),
    created: time('When the import began.', { readOnly: true }),
    ended: time('When all positions had been sent.', { readOnly: true }),
  },
  { always: ['deviceId', 'status', 'received', 'stored', 'duplicates', 'refused', 'created'] },
);

const importedPositions = noun(
  'imported positions',
  {
    first: required(
      Type.Integer({
        minimum: 0,
        maximum: 2_000_000_000,
        description:
          'How many positions of the import come before these. Positions that were already received are skipped.',
      }),
    ),
    points: listOf(
      Type.Unsafe<ImportedPosition>({
        type: 'array',
        items: { type: ['number', 'null'] },
        minItems: 3,
        maxItems: IMPORTED_COLUMNS.length,
        description:
          '`[timestamp, lat, lng, speed, altitude, course, accuracy, battery]`: epoch milliseconds, degrees, km/h, metres, degrees, metres, percent. Unknown values are null, or omitted at the end.',
      }),
      'Positions in any order, preferably by time.',
      { minItems: 1, maxItems: MOST_IMPORTED_AT_ONCE },
    ),
  },
  { required: ['first', 'points'], sentAs: 'imported positions' },
);

const path = '/devices/{id}/imports';
const DONE = { answer: answerOf(historyImport) };

export const historyImportOperations = {
  listHistoryImports: list(historyImport, path, 'view', { summary: 'List the imports of history into a device' }),
  createHistoryImport: create(historyImport, path, 'manage', {
    summary: 'Begin to import history into a device',
    description:
      'Then send positions, and end the import. Trips and stops are computed for all of the history, regardless of its age. Events before the end of the import cause no notifications, and no data of the import is forwarded. An import without data for an hour is ended.',
  }),
  getHistoryImport: read(historyImport, `${path}/{fk}`, 'view'),
  addImportedPoints: operation('POST', `${path}/{fk}/points`, 'manage', {
    summary: 'Send positions of a history',
    description: `At most ${MOST_IMPORTED_AT_ONCE} at once. A call can be repeated: \`first\` shows which positions were already received. Rejected if positions before \`first\` are missing, or the import has ended.`,
    body: { noun: importedPositions, mode: 'create' },
    isRepeatable: true,
    example: { body: { first: 0, points: [[1_780_315_200_000, 46.4983, 11.3548, 48]] } },
    ...DONE,
  }),
  endHistoryImport: operation('POST', `${path}/{fk}/end`, 'manage', {
    summary: 'End an import of history',
    description: 'Once its trips and stops are built, its status is `done`.',
    ...DONE,
  }),
};
