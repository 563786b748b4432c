import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';
import { type AnyRow, type LooseQuery, nextRows, placeBehind, type RowPlace } from './next-rows.ts';

/** A row in an export: times as ISO texts, JSON parsed. */

const TIMES = new Set(
  `acknowledgedAt at confirmed confirmedAt created decidedAt deletedAt doneAt downSince dueAt dueOn emailConfirmedAt end
  ended escalatedAt expires expiresAt firstAt firstSeen lastAt lastChecked lastConnection lastErrorAt lastSuccess
  lastTriggered lastUsed lastUsedAt lastViewedAt mqttUntil checkAt modified nextAt nextTryAt odometerAt provenAt receivedAck
  receivedAt recordedAt refreshUntil removedAt renewUntil reportsStoppedAt sent sentAt shapedAt signedInAt snoozedUntil since start timestamp
  touchedAt triggeredAt until validFrom validTo`.split(/\s+/),
);

export const isTimeColumn = (name: string) => TIMES.has(name);

/** Before 1973: not a time, but a flag or number with the same name. */
const NO_TIME = 1e11;

function readableRow(
  row: Readonly<Record<string, string | number | null>>,
  hides: ReadonlySet<string>,
): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, cell] of Object.entries(row)) if (!hides.has(name)) shown[name] = readable(name, cell);
  return shown;
}

function readable(name: string, cell: string | number | null): unknown {
  if (typeof cell === 'number') return isTimeColumn(name) && cell > NO_TIME ? new Date(cell).toISOString() : cell;
  if (cell === null || !/^[[{]/.test(cell)) return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** Rows of one table about a device or a user, and the progress of reading. */
export interface ExportedRows {
  readonly table: string;
  readonly column: string;
  readonly value: number;
  readonly hides: readonly string[];
  /** Whether the rows have an id to order by. */
  readonly hasId: boolean;
  readonly time?: string;
  /** Only rows of this user. */
  readonly userId?: number;
  readonly after?: RowPlace;
}

interface RowsChunk {
  readonly text: string;
  readonly rows: number;
  /** Undefined if nothing is left. */
  readonly after?: RowPlace;
}

const ROWS = 500;

/** Reads the next rows and formats them as JSON Lines, on a separate thread. */
export const rowsChunk = defineReadWork(
  import.meta.url,
  async ({ query }: Workplace<Tables>, wanted: ExportedRows): Promise<RowsChunk> => {
    const on = query as unknown as LooseQuery;
    const rows = wanted.time === undefined ? await byId(on, wanted) : await byTime(on, wanted, wanted.time);
    const hides = new Set(wanted.hides);
    const text = rows.map((row) => `${JSON.stringify(readableRow(row, hides))}\n`).join('');
    const after = wanted.hasId ? placeBehind(rows, wanted.time ?? 'id', ROWS) : undefined;
    return { text, rows: rows.length, ...(after && { after }) };
  },
);

const byTime = (query: LooseQuery, { table, column, value, after }: ExportedRows, time: string) =>
  nextRows(query, { table, column, value, time }, after, ROWS);

async function byId(query: LooseQuery, wanted: ExportedRows): Promise<AnyRow[]> {
  const { table, column, value, userId, after, hasId } = wanted;
  let rows = query.selectFrom(table).selectAll().where(column, '=', value);
  if (userId !== undefined) rows = rows.where('userId', '=', userId);
  // The few tables without an id have few rows.
  if (!hasId) return rows.execute();
  return rows
    .where('id', '>', after?.id ?? 0)
    .orderBy('id')
    .limit(ROWS)
    .execute();
}
