import { sql } from 'kysely';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import type { Store, Tables, Tx } from '../schema/tables.ts';
import { type Cuts, cutsOf, FORGOTTEN_KINDS, type ForgottenKind, type KeptHistory } from './kept-history.ts';

/** Counts what settings would remove, for some devices at a time, on a separate thread. */

/** Removable data of a kind; without times if there is none. */
export interface Removable {
  readonly count: number;
  /** An estimate: rows multiplied by their average size. */
  readonly bytes: number;
  readonly oldest: number | null;
  readonly newest: number | null;
}

type RemovableKinds = Readonly<Record<ForgottenKind, Removable>>;

const AT_ONCE = 100;

interface PreviewAsked {
  readonly kept: KeptHistory;
  readonly now: number;
  /** Devices up to this one have been counted. */
  readonly after: number;
}

interface PreviewChunk {
  readonly kinds: RemovableKinds;
  /** Undefined if these were the last devices. */
  readonly after: number | undefined;
}

/** Approximate size of a row with its indexes; only that of positions is measured. */
const ROW_BYTES = {
  sqlite: { positions: 80, readings: 220, trips: 600, notifications: 700, checkpoints: 900, ruleVersions: 500 },
  postgres: { positions: 135, readings: 420, trips: 800, notifications: 1000, checkpoints: 1100, ruleVersions: 700 },
};
const PACKED_BYTES = 16;
/** Approximate share of positions that thinning drops if a device reports every ten seconds. */
const THINNED_PART = 2 / 3;

const NOTHING_REMOVABLE: Removable = { count: 0, bytes: 0, oldest: null, newest: null };

const nothingRemovable = (): Record<ForgottenKind, Removable> =>
  Object.fromEntries(FORGOTTEN_KINDS.map((kind) => [kind, NOTHING_REMOVABLE])) as Record<ForgottenKind, Removable>;

function addRemovable(one: Removable, other: Removable): Removable {
  const times = (which: 'oldest' | 'newest') => [one[which], other[which]].filter((time) => time !== null);
  const [olds, news] = [times('oldest'), times('newest')];
  return {
    count: one.count + other.count,
    bytes: one.bytes + other.bytes,
    oldest: olds.length > 0 ? Math.min(...olds) : null,
    newest: news.length > 0 ? Math.max(...news) : null,
  };
}

export const previewChunk = defineReadWork(
  import.meta.url,
  async ({ query, dialect }: Workplace<Tables>, { kept, now, after }: PreviewAsked): Promise<PreviewChunk> => {
    const kinds = nothingRemovable();
    const rowBytes = dialect.pick(ROW_BYTES);
    const devices = await query
      .selectFrom('devices as d')
      .innerJoin('deviceStates as s', 's.deviceId', 'd.id')
      .select(['d.id', 's.keepDays', 's.thinnedUntil'])
      .where('d.id', '>', after)
      .where('d.deletedAt', 'is', null)
      .orderBy('d.id')
      .limit(AT_ONCE)
      .execute();
    for (const { id, keepDays, thinnedUntil } of devices) {
      const found = await ofDevice(query, id, cutsOf(kept, keepDays, now), thinnedUntil ?? 0);
      for (const kind of FORGOTTEN_KINDS) {
        const { packed = 0, rows, oldest, newest } = found[kind] ?? { rows: 0, oldest: null, newest: null };
        if (packed + rows === 0) continue;
        const bytes = rows * rowBytes[kind === 'thinned' ? 'positions' : kind] + packed * PACKED_BYTES;
        const part = kind === 'thinned' ? THINNED_PART : 1;
        const sum = { count: Math.round((packed + rows) * part), bytes: Math.round(bytes * part), oldest, newest };
        kinds[kind] = addRemovable(kinds[kind], sum);
      }
    }
    return { kinds, after: devices.length < AT_ONCE ? undefined : devices.at(-1)!.id };
  },
);

interface Counted {
  readonly rows: number;
  readonly packed?: number;
  readonly oldest: number | null;
  readonly newest: number | null;
}

/** The table of each kind, with its time column and its device column. */
const TABLES = {
  readings: [['gatewayReadings', 'timestamp', 'deviceId']],
  trips: [
    ['trips', 'end', 'deviceId'],
    ['stops', 'end', 'deviceId'],
  ],
  notifications: [['notifications', 'timestamp', 'deviceId']],
  checkpoints: [['checkpoints', 'at', 'deviceId']],
  ruleVersions: [['triggerVersions', 'validTo', 'deviceId']],
} as const;

async function ofDevice(
  query: Tx,
  deviceId: number,
  cuts: Cuts,
  thinnedUntil: number,
): Promise<Partial<Record<ForgottenKind, Counted>>> {
  const found: Partial<Record<ForgottenKind, Counted>> = {};
  for (const [kind, tables] of Object.entries(TABLES) as [
    keyof typeof TABLES,
    (typeof TABLES)[keyof typeof TABLES],
  ][]) {
    const cut = cuts[kind];
    if (cut === undefined) continue;
    for (const [table, time, owner] of tables) {
      const counted = await countOf(query, sql`FROM ${sql.table(table)} WHERE ${sql.ref(owner)} = ${deviceId}`, time, {
        from: 0,
        to: cut,
      });
      found[kind] = joined(found[kind], counted);
    }
    if (kind === 'readings') found[kind] = withPacked(found[kind], await packedReadings(query, deviceId, cut));
  }
  if (cuts.positions !== undefined)
    found.positions = await positionsOf(query, deviceId, { from: 0, to: cuts.positions });
  if (cuts.thinned !== undefined)
    found.thinned = await positionsOf(query, deviceId, {
      from: Math.max(thinnedUntil, cuts.positions ?? 0),
      to: cuts.thinned,
    });
  return found;
}

interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

async function countOf(
  query: Tx,
  from: ReturnType<typeof sql>,
  time: string,
  span: TimeSpan,
  count = sql`COUNT(*)`,
): Promise<Counted> {
  const at = sql.ref(time);
  const { rows } = await sql<{ rows: number | null; oldest: number | null; newest: number | null }>`
    SELECT ${count} AS "rows", MIN(${at}) AS "oldest", MAX(${at}) AS "newest" ${from}
      AND ${at} >= ${span.from} AND ${at} < ${span.to}`.execute(query);
  const [one] = rows;
  const timeOf = (value: number | null | undefined) => (value === null || value === undefined ? null : Number(value));
  return { rows: Number(one?.rows ?? 0), oldest: timeOf(one?.oldest), newest: timeOf(one?.newest) };
}

async function positionsOf(query: Tx, deviceId: number, span: TimeSpan): Promise<Counted> {
  const rows = await countOf(query, sql`FROM "points" WHERE "deviceId" = ${deviceId}`, 'timestamp', span);
  const packed = await countOf(
    query,
    sql`FROM "positionSegments" WHERE "deviceId" = ${deviceId}`,
    'lastAt',
    span,
    sql`SUM("count")`,
  );
  return withPacked(rows, packed);
}

const packedReadings = (query: Tx, deviceId: number, cut: number) =>
  countOf(
    query,
    sql`FROM "readingSegments" WHERE "deviceId" = ${deviceId}`,
    'lastAt',
    { from: 0, to: cut },
    sql`SUM("count")`,
  );

/** Packed rows take less space. */
const withPacked = (rows: Counted | undefined, packed: Counted): Counted => ({
  ...joined(rows, packed),
  rows: rows?.rows ?? 0,
  packed: packed.rows,
});

const joined = (one: Counted | undefined, other: Counted): Counted => {
  if (one === undefined || one.rows === 0) return other;
  if (other.rows === 0) return one;
  const sum = addRemovable({ ...one, count: one.rows, bytes: 0 }, { ...other, count: other.rows, bytes: 0 });
  return { rows: sum.count, oldest: sum.oldest, newest: sum.newest };
};

/** What settings would remove of all devices now. @param owner the caller, whose concurrent previews are limited */
export async function previewRetention(
  store: Store,
  { kept, now, owner }: { readonly kept: KeptHistory; readonly now: number; readonly owner: string },
): Promise<RemovableKinds> {
  const read = store.readWork(previewChunk);
  const kinds = nothingRemovable();
  for (let after: number | undefined = 0; after !== undefined; ) {
    const chunk: Awaited<ReturnType<typeof read>> = await read({ kept, now, after }, owner);
    for (const kind of FORGOTTEN_KINDS) kinds[kind] = addRemovable(kinds[kind], chunk.kinds[kind]);
    after = chunk.after;
  }
  return kinds;
}
