import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { timeNow } from '../../platform/clock.ts';
import { ParquetFile, readParquet } from '../../platform/formats/parquet.ts';
import { newestReading } from '../positions/reading-segments.ts';
import type { Store } from '../schema/tables.ts';
import { ARCHIVED, ARCHIVED_TABLES, type ArchivedName, type ArchivedTable } from './archived-tables.ts';
import { monthsBetween, spanOf } from './drop-months.ts';
import { type ArchivedFile, bucketOf, ManifestFile } from './manifest.ts';
import { joinSums, type RemovedRow, type RowSource, type RowSum, rowSource } from './row-source.ts';

/**
 * Writes what devices recorded to files of Parquet: one for each table, month and bucket. A file gets its name when it is
 * whole, so an interruption at any point is made good by running it again.
 */

export interface ArchiveOptions {
  readonly folder: string;
  /** Months that end by this time are archived. */
  readonly before: number;
  /** Whether archived rows are removed from the database. */
  readonly removes: boolean;
  /** The version of the program. */
  readonly program: string;
  report(progress: ArchiveProgress): void;
}

export interface ArchiveProgress {
  readonly month: string;
  readonly table: ArchivedName;
  readonly bucket: number;
  /** Written by this run so far. */
  readonly rows: number;
}

export interface ArchiveResult {
  readonly isResumed: boolean;
  readonly files: readonly ArchivedFile[];
  /** By table: rows that this run wrote, and removed from the database. */
  readonly written: Readonly<Record<ArchivedName, number>>;
  readonly removed: number;
  /** Devices with trips whose track is not packed yet: their positions stay until a later run. */
  readonly waiting: number;
}

interface Unit {
  readonly table: ArchivedTable;
  readonly source: RowSource;
  readonly month: string;
  readonly bucket: number;
  readonly deviceIds: readonly number[];
}

/** The devices of a bucket with rows of a table, and when they begin. */
interface Beginnings {
  readonly name: ArchivedName;
  readonly bucket: number;
  readonly devices: { readonly id: number; readonly first: number }[];
}

const earliest = (soonest: number, { first }: { readonly first: number }) => Math.min(soonest, first);

export async function archive(store: Store, options: ArchiveOptions): Promise<ArchiveResult> {
  const manifest = await ManifestFile.open(options.folder, options.program);
  const run = new ArchiveRun(store, options, manifest);
  for (const units of await run.plan()) {
    for (const unit of units()) await run.write(unit);
    await manifest.save();
  }
  await manifest.end();
  const { isResumed } = manifest;
  return { isResumed, files: manifest.files(), written: run.written, removed: run.removed, waiting: run.waiting.size };
}

class ArchiveRun {
  readonly #store: Store;
  readonly #options: ArchiveOptions;
  readonly #manifest: ManifestFile;
  readonly #sources: Readonly<Record<ArchivedName, RowSource>>;
  readonly written = Object.fromEntries(ARCHIVED.map((name) => [name, 0])) as Record<ArchivedName, number>;
  removed = 0;
  readonly waiting = new Set<number>();

  constructor(store: Store, options: ArchiveOptions, manifest: ManifestFile) {
    this.#store = store;
    this.#options = options;
    this.#manifest = manifest;
    this.#sources = Object.fromEntries(
      ARCHIVED.map((name) => [name, rowSource(store, ARCHIVED_TABLES[name])]),
    ) as Record<ArchivedName, RowSource>;
  }

  /** The possible files of each month, determined from the first rows of devices. Deleted devices are not archived. */
  async plan(): Promise<(() => Unit[])[]> {
    const devices = await this.#store.query
      .selectFrom('devices')
      .select('id')
      .where('deletedAt', 'is', null)
      .orderBy('id')
      .execute();
    const begun: Beginnings[] = [];
    for (const name of ARCHIVED)
      for (const { id } of devices) {
        const first = await this.#sources[name].first(id);
        if (first === undefined || first >= this.#options.before) continue;
        const bucket = bucketOf(id);
        const same = begun.find((one) => one.name === name && one.bucket === bucket);
        if (same) same.devices.push({ id, first });
        else begun.push({ name, bucket, devices: [{ id, first }] });
      }
    begun.sort((one, other) => one.bucket - other.bucket);
    const first = Math.min(
      this.#options.before,
      ...begun.map(({ devices: of }) => of.reduce(earliest, Number.POSITIVE_INFINITY)),
    );
    return [...monthsBetween(first, this.#options.before)].map((month) => () => this.#unitsOf(month, begun));
  }

  #unitsOf(month: string, begun: readonly Beginnings[]): Unit[] {
    const { to } = spanOf(month);
    return begun.flatMap(({ name, bucket, devices }) => {
      const deviceIds = devices.filter(({ first }) => first < to).map(({ id }) => id);
      if (deviceIds.length === 0) return [];
      return [{ table: ARCHIVED_TABLES[name], source: this.#sources[name], month, bucket, deviceIds }];
    });
  }

  async write(unit: Unit): Promise<void> {
    const { table, month, bucket } = unit;
    const name = `${table.name} ${month} ${bucket}`;
    if (!this.#manifest.isDone(name)) {
      await this.#copy(unit);
      await this.#manifest.note({ done: name });
    }
    if (this.#options.removes && table.isRemoved)
      for (const part of this.#manifest.parts(table.name, month, bucket)) await this.#remove(part, unit);
  }

  async #copy(unit: Unit): Promise<void> {
    const { table, month, bucket, source, deviceIds } = unit;
    const span = spanOf(month);
    let there: RowSum | undefined;
    for (const deviceId of deviceIds) there = joinSums(there, await source.sum(deviceId, span));
    if (there === undefined) return;
    const parts = this.#manifest.parts(table.name, month, bucket);
    const archived = parts.reduce<RowSum | undefined>(joinSums, undefined);
    const isWhole = parts.every(({ state }) => state === 'copied') && there.rows >= (archived?.rows ?? 0);
    if (!isWhole) {
      // Only new rows: archived rows have been removed from the database, by this command or by retention.
      const next = (parts.at(-1)?.part ?? 0) + 1;
      if (there.highestId > archived!.highestId) await this.#writePart(unit, next, archived!.highestId);
      return;
    }
    const isSame =
      archived !== undefined &&
      archived.rows === there.rows &&
      archived.lowestId === there.lowestId &&
      archived.highestId === there.highestId;
    if (isSame && !table.isChanging) return;
    await this.#writePart(unit, 1);
    for (const { path, part } of parts) {
      if (part === 1) continue;
      await this.#manifest.note({ gone: path });
      await rm(join(this.#options.folder, path), { force: true });
    }
  }

  async #writePart({ table, source, month, bucket, deviceIds }: Unit, part: number, above?: number): Promise<void> {
    const { folder, program, report } = this.#options;
    const number = String(bucket).padStart(2, '0');
    const path = `${table.name}/month=${month}/bucket-${number}${part === 1 ? '' : `-${part}`}.parquet`;
    const whole = join(folder, path);
    await mkdir(dirname(whole), { recursive: true, mode: 0o700 });
    const file = new ParquetFile(`${whole}.new`, table.columns, { program, table: table.name, month });
    const seen = new SeenRows(table.time);
    for (const deviceId of deviceIds)
      for await (const rows of source.read(deviceId, spanOf(month), above)) {
        for (const row of rows) {
          await file.add(row);
          seen.add(row);
        }
        this.written[table.name] += rows.length;
        report({ month, table: table.name, bucket, rows: this.#rows() });
      }
    const facts = await file.finish();
    if (facts.rows === 0) return rm(`${whole}.new`);
    await rename(`${whole}.new`, whole);
    const written = new Date(timeNow()).toISOString();
    const entry = { path, table: table.name, month, bucket, part, ...facts, ...seen.facts(), state: 'copied', written };
    await this.#manifest.note({ file: entry as ArchivedFile });
  }

  #rows(): number {
    return Object.values(this.written).reduce((sum, rows) => sum + rows, 0);
  }

  async #remove(file: ArchivedFile, { table, source, deviceIds }: Unit): Promise<void> {
    if (file.state === 'removed') return;
    if (table.name === 'positions') {
      const unpacked = await this.#withUnpackedTrips(deviceIds, file.month);
      for (const deviceId of unpacked) this.waiting.add(deviceId);
      if (unpacked.length > 0) return;
    }
    // First, so that after an interruption the remaining rows are not taken for all rows.
    await this.#manifest.note({ file: { ...file, state: 'removing' } });
    this.removed += await removeArchived(this.#store, join(this.#options.folder, file.path), table, source);
    await this.#manifest.note({ file: { ...file, state: 'removed' } });
  }

  /** Reports read the positions of a trip until its track is packed. */
  async #withUnpackedTrips(deviceIds: readonly number[], month: string): Promise<number[]> {
    const { from, to } = spanOf(month);
    const found: number[] = [];
    for (const deviceId of deviceIds) {
      const trip = await this.#store.query
        .selectFrom('trips')
        .select('id')
        .where('deviceId', '=', deviceId)
        .where('track', 'is', null)
        .where('start', '<', to)
        .where('end', '>=', from)
        .limit(1)
        .executeTakeFirst();
      if (trip !== undefined) found.push(deviceId);
    }
    return found;
  }
}

/** The manifest's data about the rows of a file. */
class SeenRows {
  readonly #time: string;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  #lowest = Number.POSITIVE_INFINITY;
  #highest = Number.NEGATIVE_INFINITY;

  constructor(time: string) {
    this.#time = time;
  }

  add(row: Readonly<Record<string, string | number | null>>): void {
    const [at, id] = [Number(row[this.#time]), Number(row.id)];
    this.#first = Math.min(this.#first, at);
    this.#last = Math.max(this.#last, at);
    this.#lowest = Math.min(this.#lowest, id);
    this.#highest = Math.max(this.#highest, id);
  }

  facts() {
    const iso = (at: number) => new Date(at).toISOString();
    if (this.#first > this.#last) return undefined;
    return {
      firstAt: iso(this.#first),
      lastAt: iso(this.#last),
      lowestId: this.#lowest,
      highestId: this.#highest,
    };
  }
}

/**
 * Removes the rows of an archive file from the database, individually: rows that arrived meanwhile stay. The newest
 * rows of each device stay too, since maps and pages show them. Returns the number of rows in the file.
 */
async function removeArchived(store: Store, path: string, table: ArchivedTable, source: RowSource): Promise<number> {
  const keys = table.columns.filter(({ name }) => ['id', 'deviceId', 'gatewayId', 'type', table.time].includes(name));
  const newest = table.name === 'positions' ? newestPositions(store) : newestReadings(store);
  let removed = 0;
  for await (const rows of readParquet(path, keys)) {
    const gone: RemovedRow[] = [];
    for (const row of rows)
      if (!(await newest(row)).includes(Number(row.id)))
        gone.push({ id: Number(row.id), deviceId: Number(row.gatewayId ?? row.deviceId), at: Number(row[table.time]) });
    await source.remove(gone);
    removed += gone.length;
  }
  return removed;
}

type Key = Readonly<Record<string, string | number | null>>;
type Newest = (row: Key) => Promise<readonly number[]>;

/** The last position of a device, and the last one with a place. */
function newestPositions({ query }: Store): Newest {
  const last = (deviceId: number) =>
    query.selectFrom('points').select('id').where('deviceId', '=', deviceId).orderBy('timestamp', 'desc').limit(1);
  return remembered(
    ({ deviceId }) => `${deviceId}`,
    async ({ deviceId }) => {
      const newest = await last(Number(deviceId)).orderBy('id', 'desc').execute();
      const placed = await last(Number(deviceId)).where('locationLat', 'is not', null).orderBy('id', 'desc').execute();
      return [...newest, ...placed].map(({ id }) => id);
    },
  );
}

/** The last reading of each type. */
function newestReadings({ query }: Store): Newest {
  return remembered(
    ({ gatewayId, deviceId, type }) => JSON.stringify([gatewayId, deviceId, type]),
    async ({ gatewayId, deviceId, type }) => {
      const numbered = (id: string | number | null | undefined) =>
        id === null || id === undefined ? null : Number(id);
      const pair = { gatewayId: numbered(gatewayId), deviceId: numbered(deviceId) };
      const newest = await newestReading(query, pair, String(type));
      return newest === undefined ? [] : [newest.id];
    },
  );
}

function remembered(keyOf: (row: Key) => string, find: Newest): Newest {
  const found = new Map<string, readonly number[]>();
  return async (row) => {
    const key = keyOf(row);
    const there = found.get(key) ?? (await find(row));
    found.set(key, there);
    return there;
  };
}
