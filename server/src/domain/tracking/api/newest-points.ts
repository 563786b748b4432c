import { point } from '@trackway/contract/resources/point.ts';
import { ID_LIST } from '../../../platform/storage/id-list.ts';
import { type JsonRows, jsonRows } from '../../../platform/storage/json-rows.ts';
import type { Row } from '../../../platform/storage/shape.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Workplace } from '../../../platform/storage/work.ts';
import { approximateText } from '../../approximate.ts';
import type { TimeSpan } from '../../date-range.ts';
import { shapeOf } from '../../schema/shape.ts';
import type { Tables } from '../../schema/tables.ts';

/** Which positions of devices are wanted: the newest with a location. */
export interface WantedPoints {
  readonly count: number;
  readonly span?: TimeSpan;
  readonly hideApprox?: boolean;
}

const SHAPE = shapeOf(point);
const JSON_POINTS: Readonly<Record<StoreKind, JsonRows>> = {
  sqlite: jsonRows('sqlite', SHAPE, 'points'),
  postgres: jsonRows('postgres', SHAPE, 'points'),
};

/** The newest positions of devices as the JSON text of an array, by the id of the device; absent where there are none. */
export async function newestPoints(
  workplace: Workplace<Tables>,
  deviceIds: readonly number[],
  { count, span, hideApprox = false }: WantedPoints,
): Promise<Map<number, string>> {
  if (count === 0 || deviceIds.length === 0) return new Map();
  const { storeKind } = workplace;
  const wanted = [
    'q."deviceId" = d."id"',
    'q."locationLat" IS NOT NULL',
    ...(span ? ['q."timestamp" >= ?', 'q."timestamp" <= ?'] : []),
    ...(hideApprox ? [`NOT ${approximateText('q')}`] : []),
  ].join(' AND ');
  const name = `fleet.newestPoints${span ? '.span' : ''}${hideApprox ? '.exact' : ''}`;
  const statement = workplace.prepare<Row>(name, newestSql(storeKind, wanted));
  const rows = await statement.all(JSON.stringify(deviceIds), ...(span ? [span.from, span.to] : []), count);
  return textsByDevice(rows, JSON_POINTS[storeKind]);
}

/** A few steps in the index of each device, whatever else it has said. */
function newestSql(storeKind: StoreKind, wanted: string): string {
  const columns = `"points"."deviceId" AS "of", "points"."id" AS "pointId", ${JSON_POINTS[storeKind].columns}`;
  const newest = (what: string) =>
    `SELECT ${what} FROM "points" q WHERE ${wanted} ORDER BY q."timestamp" DESC, q."id" DESC LIMIT ?`;
  const from = `SELECT ${columns} FROM (${ID_LIST[storeKind]}) d`;
  return storeKind === 'sqlite'
    ? `${from} CROSS JOIN "points" ON "points"."id" IN (${newest('q."id"')})`
    : `${from} CROSS JOIN LATERAL (${newest('*')}) AS "points"`;
}

function textsByDevice(rows: readonly Row[], json: JsonRows): Map<number, string> {
  const found = new Map<number, Row[]>();
  for (const row of rows) {
    const of = row.of as number;
    const others = found.get(of);
    if (others === undefined) found.set(of, [row]);
    else others.push(row);
  }
  const texts = new Map<number, string>();
  for (const [deviceId, points] of found) {
    if (points.length > 1) points.sort(newestFirst);
    texts.set(deviceId, `[${points.map((row) => json.textOf(row)).join(',')}]`);
  }
  return texts;
}

const newestFirst = (one: Row, other: Row) =>
  (other['points.timestamp'] as number) - (one['points.timestamp'] as number) ||
  (other.pointId as number) - (one.pointId as number);
