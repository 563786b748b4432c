import { point } from '@trackway/contract/resources/point.ts';
import type { ByDatabase } from '../../../platform/storage/dialect.ts';
import { type JsonRows, jsonRows } from '../../../platform/storage/json-rows.ts';
import { type Cell, columnsOf, presentRow, type Row } from '../../../platform/storage/shape.ts';
import type { Workplace } from '../../../platform/storage/work.ts';
import { approximateText, isApproximate } from '../../fix.ts';
import type { PositionColumn, StoredPosition } from '../../positions/packed-positions.ts';
import { positions } from '../../positions/positions.ts';
import { hasSegments } from '../../positions/segments.ts';
import type { TimeSpan } from '../../range.ts';
import { shapeOf } from '../../schema/shape.ts';
import type { Tables } from '../../schema/tables.ts';

/** Which positions of devices are wanted: the newest with a location. */
export interface WantedPoints {
  readonly count: number;
  readonly span?: TimeSpan;
  readonly hideApprox?: boolean;
}

const SHAPE = shapeOf(point);
const JSON_POINTS = jsonRows(SHAPE, 'points');

/** The newest positions of devices as the JSON text of an array, by the id of the device; absent where there are none. */
export async function newestPoints(
  workplace: Workplace<Tables>,
  deviceIds: readonly number[],
  { count, span, hideApprox = false }: WantedPoints,
): Promise<Map<number, string>> {
  if (count === 0 || deviceIds.length === 0) return new Map();
  const { dialect } = workplace;
  const wanted = [
    'q."deviceId" = d."id"',
    'q."locationLat" IS NOT NULL',
    ...(span ? ['q."timestamp" >= ?', 'q."timestamp" <= ?'] : []),
    ...(hideApprox ? [`NOT ${approximateText('q')}`] : []),
  ].join(' AND ');
  const name = `fleet.newestPoints${span ? '.span' : ''}${hideApprox ? '.exact' : ''}`;
  const statement = workplace.prepare(name, dialect.pick(NEWEST)(dialect.idList, wanted));
  const ids = JSON.stringify(deviceIds);
  const others = [...(span ? [span.from, span.to] : []), count];
  const rows = await statement.lists(...dialect.pick({ sqlite: [ids, ...others], postgres: [...others, ids] }));
  const texts = textsByDevice(rows, dialect.pick(JSON_POINTS));
  // The newest position of a device is never packed, but those before it may be.
  const found = new Map<number, number>();
  for (const [deviceId] of rows) found.set(deviceId as number, (found.get(deviceId as number) ?? 0) + 1);
  for (const deviceId of deviceIds) {
    if ((found.get(deviceId) ?? 0) >= count) continue;
    const text = await withPackedPoints(workplace, deviceId, { count, span, hideApprox });
    if (text !== undefined) texts.set(deviceId, text);
  }
  return texts;
}

const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER };
/** All that is shown, and what determines whether a position is approximate. */
const COLUMNS = SHAPE.flatMap(columnsOf) as PositionColumn[];

/** The same of one device, where some of its positions in the span are packed. */
async function withPackedPoints(
  { query }: Workplace<Tables>,
  deviceId: number,
  { count, span = ALWAYS, hideApprox = false }: WantedPoints,
): Promise<string | undefined> {
  if (!(await hasSegments(query, deviceId, span))) return undefined;
  const shown: object[] = [];
  let after: Pick<StoredPosition, 'timestamp' | 'id'> | undefined;
  while (shown.length < count) {
    const { from, to } = span;
    const wanted = { deviceId, from, to, columns: COLUMNS, kind: 'placed', isNewestFirst: true } as const;
    const some = await positions(query, { ...wanted, after, limit: count });
    for (const position of some)
      if (!(hideApprox && isApproximate(position)) && shown.length < count)
        shown.push(presentRow(SHAPE, position as unknown as Row));
    if (some.length < count) break;
    after = some.at(-1);
  }
  return shown.length === 0 ? undefined : JSON.stringify(shown);
}

const columnsWith = ({ columns }: JsonRows) => `"points"."deviceId", "points"."timestamp", "points"."id", ${columns}`;
const newest = (what: string, wanted: string) =>
  `SELECT ${what} FROM "points" q WHERE ${wanted} ORDER BY q."timestamp" DESC, q."id" DESC LIMIT ?`;

/** A few steps in the index of each device, whatever else it has said. */
const NEWEST: ByDatabase<(idList: string, wanted: string) => string> = {
  sqlite: (idList, wanted) =>
    `SELECT ${columnsWith(JSON_POINTS.sqlite)} FROM (${idList}) d CROSS JOIN "points" ON "points"."id" IN (${newest('q."id"', wanted)})`,
  // From the rows of devices: where several servers have these, each finds the positions of its own.
  postgres: (idList, wanted) =>
    `SELECT ${columnsWith(JSON_POINTS.postgres)} FROM "devices" d CROSS JOIN LATERAL (${newest('*', wanted)}) AS "points" WHERE d."id" IN (${idList})`,
};

type Cells = readonly Cell[];
const FIRST = 3;

function textsByDevice(rows: readonly Cells[], json: JsonRows): Map<number, string> {
  const found = new Map<number, Cells[]>();
  for (const row of rows) {
    const deviceId = row[0] as number;
    const others = found.get(deviceId);
    if (others === undefined) found.set(deviceId, [row]);
    else others.push(row);
  }
  const texts = new Map<number, string>();
  for (const [deviceId, points] of found) {
    if (points.length > 1) points.sort(newestFirst);
    let text = '';
    for (const row of points) text += `${text === '' ? '[' : ','}${json.openTextOf(row, FIRST)}}`;
    texts.set(deviceId, `${text}]`);
  }
  return texts;
}

const newestFirst = ([, oneAt, oneId]: Cells, [, otherAt, otherId]: Cells) =>
  (otherAt as number) - (oneAt as number) || (otherId as number) - (oneId as number);
