import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

/** Reads rows together with packed ones, as if all were rows. */

/** Both ends inclusive. */
export interface StoredSpan {
  readonly from: number;
  readonly to: number;
}

interface StoredPlace {
  readonly timestamp: number;
  readonly id: number;
}

export const byTime = (a: StoredPlace, b: StoredPlace) => a.timestamp - b.timestamp || a.id - b.id;

/** A segment as the statement returns it. */
interface FoundSegment {
  readonly data: Uint8Array | string;
}

interface PackedReading<Tables, Table extends keyof Tables & string, Stored extends StoredPlace> {
  readonly span: StoredSpan;
  readonly isNewestFirst: boolean;
  readonly limit: number;
  /** All columns that are read, including times and ids. */
  readonly columns: readonly (keyof Stored & string)[];
  /** Null, with the type of the column, or the value of segments in its place. */
  readonly inSegment: (name: keyof Stored & string) => RawBuilder<unknown>;
  /** Whether an unpacked row matches. */
  readonly isWanted: (row: Stored) => boolean;
  /** The query for rows within a span, with these columns, in the requested order, up to the limit. */
  readonly rows: (span: StoredSpan) => SelectQueryBuilder<Tables, Table, object>;
  /** The query for the segments that overlap a span, in the same order: by the first time of each, or by the last. */
  readonly segments: (span: StoredSpan, most: number) => RawBuilder<unknown> | object;
  /** The rows of a segment, ordered by time. */
  readonly open: (segment: FoundSegment & Stored) => Stored[];
  /** Whether the time ranges of segments may overlap. */
  readonly doOverlap: boolean;
}

/** Segments opened at a time: usually one is sufficient. */
const FEW = 2;
const MANY = 16;

/**
 * Rows and segments are read by one statement, so that rows that are being packed or unpacked meanwhile appear once.
 */
export async function withPacked<Tables, Table extends keyof Tables & string, Stored extends StoredPlace>(
  query: Kysely<Tables>,
  reading: PackedReading<Tables, Table, Stored>,
): Promise<Stored[]> {
  const { isNewestFirst, limit } = reading;
  const found: Stored[] = [];
  let { span } = reading;
  for (let most = FEW; ; most = Math.min(2 * most, Math.max(most, MANY))) {
    const { rows, known } = await some(query, { ...reading, span, limit: limit - found.length }, most);
    for (const row of rows) found.push(row);
    if (known === undefined || found.length >= limit) return found;
    const remaining = isNewestFirst ? { ...span, to: known - 1 } : { ...span, from: known + 1 };
    // Many segments start at the same time: more of them are opened.
    if (isNewestFirst ? remaining.to >= span.to : remaining.from <= span.from) most *= 2;
    else span = remaining;
  }
}

interface Some<Stored> {
  readonly rows: Stored[];
  /** The time up to (or down to) which the rows are complete; undefined if there are no more. */
  readonly known: number | undefined;
}

async function some<Tables, Table extends keyof Tables & string, Stored extends StoredPlace>(
  query: Kysely<Tables>,
  reading: PackedReading<Tables, Table, Stored>,
  most: number,
): Promise<Some<Stored>> {
  const { span, isNewestFirst, limit, isWanted, open, doOverlap } = reading;
  const read = await statement(reading, most).execute(query);
  const rows: Stored[] = [];
  const firsts: number[] = [];
  const lasts: number[] = [];
  for (const row of read.rows) {
    if (row.data === null) {
      rows.push(row);
      continue;
    }
    const unpacked = open(row as FoundSegment & Stored);
    firsts.push(unpacked[0]!.timestamp);
    lasts.push(unpacked.at(-1)!.timestamp);
    for (const one of unpacked)
      if (one.timestamp >= span.from && one.timestamp <= span.to && isWanted(one)) rows.push(one);
  }
  rows.sort(isNewestFirst ? (a, b) => byTime(b, a) : byTime);
  if (firsts.length < most) return { rows: rows.slice(0, limit), known: undefined };
  // Without overlaps, everything is known to the end of the last opened segment; else to the start of the next.
  const known = isNewestFirst
    ? doOverlap
      ? Math.min(...lasts) + 1
      : Math.min(...firsts)
    : doOverlap
      ? Math.max(...firsts) - 1
      : Math.max(...lasts);
  const isKnown = ({ timestamp }: Stored) => (isNewestFirst ? timestamp >= known : timestamp <= known);
  return { rows: rows.filter(isKnown).slice(0, limit), known };
}

function statement<Tables, Table extends keyof Tables & string, Stored extends StoredPlace>(
  { columns, rows, span, segments, inSegment }: PackedReading<Tables, Table, Stored>,
  most: number,
) {
  const cells = sql.join(columns.map((name) => sql`${inSegment(name)} AS ${sql.ref(name)}`));
  const names = sql.join(columns.map((name) => sql.ref(name)));
  return sql<Stored & { readonly data: Uint8Array | string | null }>`
    SELECT ${names}, CAST(NULL AS BYTEA) AS "data" FROM (${rows(span)}) AS "rows"
    UNION ALL SELECT ${cells}, "data" FROM (${segments(span, most) as RawBuilder<unknown>}) AS "packed"`;
}
