import type { Kysely } from 'kysely';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import { storePacked } from '../../positions/store-packed.ts';
import type { Tables } from '../../schema/tables.ts';
import { storedCells } from './append-rows.ts';
import type { DeviceBatch } from './device-batch.ts';

/**
 * Packs what was imported of old days, with the marks that judging has given it.
 * @returns the implausible positions that are not among them
 */
export async function packImported(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  { deviceId, toPack }: Pick<DeviceBatch, 'deviceId' | 'toPack'>,
  implausible: readonly number[],
): Promise<number[]> {
  const marked = new Set(implausible);
  const positions = toPack.flatMap(({ points, created }) =>
    points.map((point) => ({
      ...storedCells(point),
      created,
      judged: marked.has(point.id) ? ('implausible' as const) : point.judged,
      heardBy: null,
      isHeard: 0,
      reportedHash: null,
    })),
  );
  // What one of them keeps as a row, another leaves alone.
  const rowsBefore = Math.min(...toPack.map((one) => one.rowsBefore));
  const besides = toPack.map((one) => one.besides).find((at) => at !== undefined && at < rowsBefore);
  await storePacked(tx, storeKind, deviceId, { positions, rowsBefore, besides });
  const packed = new Set(positions.map(({ id }) => id));
  return implausible.filter((id) => !packed.has(id));
}
