import type { RowWriter } from '../../platform/collection.ts';
import type { Row } from '../../platform/storage/shape.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { NewPosition } from './encode.ts';
import { identityOf } from './identity.ts';
import type { StoredPosition } from './stored-position.ts';
import { changePosition, deletePositions, insertPositions, readPosition } from './write.ts';

/** Writes what somebody enters, changes or deletes by hand. */
export function positionWriter(storeKind: StoreKind): RowWriter {
  const rowOf = (position: StoredPosition | undefined) => position as Row | undefined;
  return {
    async insert(on, cells) {
      // The contract says which fields there are, and what they may hold.
      const [id] = await insertPositions(on, storeKind, [cells as unknown as NewPosition]);
      return rowOf(await readPosition(on, id!))!;
    },
    async update(on, id, cells) {
      const before = await readPosition(on, id);
      if (before === undefined) return undefined;
      // What gateways hear does not put it right any more, and the device that sends it again is still recognised.
      const reportedHash = before.isHeard ? null : (before.reportedHash ?? identityOf(before));
      return rowOf(await changePosition(on, storeKind, id, { ...cells, isHeard: 0, reportedHash }));
    },
    remove: (on, ids) => deletePositions(on, storeKind, ids),
  };
}
