import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { timeNow } from '../../platform/clock.ts';
import { ParquetFile, readParquet } from '../../platform/formats/parquet.ts';
import { ARCHIVED_TABLES } from './archived-tables.ts';
import { type ArchivedFile, bucketOf, ManifestFile } from './manifest.ts';

interface ErasedFromArchive {
  readonly rows: number;
  readonly files: number;
}

/**
 * Rewrites the files of an archive without data about these devices and users. Gateways keep their sightings, but
 * without the sighted device. After an interruption, run it again.
 */
export async function eraseArchived(
  folder: string,
  program: string,
  erased: { readonly deviceIds: ReadonlySet<number>; readonly userIds: ReadonlySet<number> },
): Promise<ErasedFromArchive> {
  const manifest = await ManifestFile.open(folder, program);
  const buckets = new Set([...erased.deviceIds].map(bucketOf));
  const sum = { rows: 0, files: 0 };
  for (const file of manifest.files()) {
    // Readings and notifications in files of other devices may refer to it.
    const isOfOthers = file.table === 'readings' || file.table === 'notifications';
    if (!buckets.has(file.bucket) && !isOfOthers) continue;
    const rows = await rewrite(folder, program, file, erased, manifest);
    sum.rows += rows;
    if (rows > 0) sum.files += 1;
  }
  await manifest.end();
  return sum;
}

type Erased = Parameters<typeof eraseArchived>[2];
type Cells = Record<string, string | number | null>;

async function rewrite(
  folder: string,
  program: string,
  file: ArchivedFile,
  erased: Erased,
  manifest: ManifestFile,
): Promise<number> {
  const { columns, name, time } = ARCHIVED_TABLES[file.table];
  const path = join(folder, file.path);
  const next = new ParquetFile(`${path}.new`, columns, { program, table: name, month: file.month });
  let changed = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for await (const rows of readParquet(path, columns))
    for (const row of rows) {
      const left = withoutErased(row, erased);
      if (left !== row) changed += 1;
      if (left === undefined) continue;
      await next.add(left);
      first = Math.min(first, Number(left[time]));
      last = Math.max(last, Number(left[time]));
    }
  const facts = await next.finish();
  if (changed === 0) await rm(`${path}.new`);
  else if (facts.rows === 0) {
    await manifest.note({ gone: file.path });
    await rm(`${path}.new`);
    await rm(path);
  } else {
    await rename(`${path}.new`, path);
    const [firstAt, lastAt, written] = [first, last, timeNow()].map((at) => new Date(at).toISOString());
    await manifest.note({ file: { ...file, ...facts, firstAt: firstAt!, lastAt: lastAt!, written: written! } });
  }
  return changed;
}

/** The row, the part of it that may stay, or undefined. */
function withoutErased(row: Cells, { deviceIds, userIds }: Erased): Cells | undefined {
  const isOf = (ids: ReadonlySet<number>, name: string) => typeof row[name] === 'number' && ids.has(row[name]);
  if (isOf(deviceIds, 'gatewayId') || isOf(userIds, 'userId')) return undefined;
  if (isOf(deviceIds, 'deviceId')) {
    if (typeof row.gatewayId !== 'number') return undefined;
    return { ...row, deviceId: null, sensorDeviceId: null };
  }
  return isOf(userIds, 'acknowledgedBy') ? { ...row, acknowledgedBy: null } : row;
}
