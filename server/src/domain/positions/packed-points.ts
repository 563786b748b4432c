import type { PackedRows } from '../../platform/packing/search-segments.ts';
import type { Row } from '../../platform/storage/shape.ts';
import type { Store } from '../schema/tables.ts';
import { packedPosition } from './pack.ts';
import { PACKED_CELLS } from './packed-positions.ts';
import { searchPacked, sourceOf } from './search-packed.ts';
import { earliestOf } from './segments.ts';

/** The packed positions of a device, for lists, counts and single positions of the API. */
export function packedPoints(store: Store): PackedRows {
  const search = store.readWork(searchPacked);
  const bounds = store.prepare<{ firstAt: number | null; lastAt: number | null }>(
    'segments.bounds',
    `SELECT MIN("firstAt") AS "firstAt", MAX("lastAt") AS "lastAt" FROM "positionSegments"
     WHERE "deviceId" = ? AND "firstAt" <= ? AND "firstAt" >= ? AND "lastAt" >= ?`,
  );
  /** The scope of positions is that of their device. */
  const deviceOf = ({ cells }: { readonly cells: readonly unknown[] }) => cells[0] as number;
  return {
    async within(scope, { from, to }) {
      const deviceId = deviceOf(scope);
      const { firstAt, lastAt } = (await bounds.get(deviceId, whole(to), earliestOf(whole(from)), whole(from)))!;
      return firstAt === null || lastAt === null ? undefined : { first: firstAt, last: lastAt };
    },
    source: (scope) => sourceOf(store.dialect, deviceOf(scope)),
    search(scope, { range: { from, to }, ...wanted }, owner) {
      const range = { from: whole(from), to: whole(to) };
      return search({ ...wanted, cells: [...wanted.cells], deviceId: deviceOf(scope), range }, owner);
    },
    async find(scope, id) {
      const deviceId = deviceOf(scope);
      const found = await packedPosition(store.query, deviceId, id, PACKED_CELLS);
      return found && ({ ...found, deviceId } as Row);
    },
  };
}

/** An open end as a number that both engines have. */
const whole = (at: number) => Math.min(Math.max(at, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
