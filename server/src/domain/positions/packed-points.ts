import type { PackedRows } from '../../platform/packed-rows-of.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { slotOf } from '../schema/slot.ts';
import type { Store } from '../schema/tables.ts';
import { packedPosition } from './pack.ts';
import { PACKED_CELLS } from './packed-positions.ts';
import { searchPacked, sourceOf } from './search-packed.ts';
import { earliestOf } from './segments.ts';

/** The packed positions of a device, for lists, counts and single positions of the API. */
export function packedPoints(store: Store): PackedRows {
  const search = store.readWork(searchPacked);
  const bounds = store.prepare<{ first: number | null; last: number | null }>(
    'segments.bounds',
    `SELECT MIN("first") AS "first", MAX("last") AS "last" FROM "segments"
     WHERE "slot" = ? AND "deviceId" = ? AND "first" <= ? AND "first" >= ? AND "last" >= ?`,
  );
  /** The scope of positions is that of their device. */
  const deviceOf = ({ cells }: { readonly cells: readonly unknown[] }) => cells[0] as number;
  return {
    async within(scope, { from, to }) {
      const deviceId = deviceOf(scope);
      const { first, last } = (await bounds.get(
        slotOf(deviceId),
        deviceId,
        whole(to),
        earliestOf(whole(from)),
        whole(from),
      ))!;
      return first === null || last === null ? undefined : { first, last };
    },
    source: (scope) => sourceOf(store.storeKind, deviceOf(scope)),
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
