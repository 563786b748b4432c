import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

/** Reads what is stored as rows together with what is packed, as if all were rows. */

/** Both ends inclusive. */
export interface StoredSpan {
  readonly from: number;
  readonly to: number;
}

export interface StoredPlace {
  readonly timestamp: number;
  readonly id: number;
}

export const byTime = (a: StoredPlace, b: StoredPlace) => a.timestamp - b.timestamp || a.id - b.id;

/** A segment as the statement gives it. */
export interface FoundSegment {
  readonly data: Uint8Array | string;
}

export interface PackedReading<Tables, Table extends keyof Tables & string, Stored extends StoredPlace> {
  readonly span: StoredSpan;
  readonly isNewestFirst: boolean;
  readonly limit: number;
  /** All columns that are read; times and ids are among them. */
  readonly columns: readonly (keyof Stored & string)[];
  /** Null, with the type of the column, or what segments have in its place. */
  readonly inSegment: (name: keyof Stored & string) => RawBuilder<unknown>;
  /** Whether an unpacked row is one of those that are wanted. */
  readonly isWanted: (row: Stored) => boolean;
  /** The query for rows within a span, with these columns, in the order that is wanted, at most as many as are wanted. */
  readonly rows: (span: StoredSpan) => SelectQueryBuilder<Tables, Table, object>;
  /** The query for the segments that reach into a span, in the same order: by the first time of each, or by the last. */
  readonly segments: (span: StoredSpan, most: number) => RawBuilder<unknown> | object;
  /** What is in a segment, in the order of time. */
  readonly open: (segment: FoundSegment & Stored) => Stored[];
  /** Whether segments may have rows of the same times. */
  readonly doOverlap: boolean;
}

/** Segments that are opened at a time: mostly one has all that is wanted. */
const FEW = 2;
const MANY = 16;

/**
 * Rows and segments are read by one statement, so that what is being packed, or unpacked, meanwhile is seen once.
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
    const rest = isNewestFirst ? { ...span, to: known - 1 } : { ...span, from: known + 1 };
    // Many segments begin at one time: more of them are opened.
    if (isNewestFirst ? rest.to >= span.to : rest.from <= span.from) most *= 2;
    else span = rest;
  }
}

interface Some<Stored> {
  readonly rows: Stored[];
  /** Up to, or down to, which moment these are all; undefined where there are no more. */
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
  // Where none overlap, all is known to the end of the last that was opened; else to where the next may begin.
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
