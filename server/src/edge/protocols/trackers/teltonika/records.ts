import type { Cursor } from '../frame/cursor.ts';

export const CODEC = { gh3000: 0x07, codec8: 0x08, codec8Extended: 0x8e, codec16: 0x10 } as const;

/** One raw value of a record: its meaning depends on the id, the width and the device family. */
export interface IoValue {
  readonly id: number;
  readonly bytes: Buffer;
  readonly isVariable?: boolean;
}

export interface AvlRecord {
  readonly timestamp: number;
  /** 0 low, 1 high, 2 panic. */
  readonly priority: number;
  readonly lat: number;
  readonly lng: number;
  readonly altitudeM: number;
  readonly courseDeg: number;
  readonly sats: number;
  readonly speedKmh: number;
  /** The id of the value that caused the record; 0 if none. */
  readonly eventId: number;
  /** Codec 16: how the value caused it. */
  readonly generation?: number;
  readonly io: readonly IoValue[];
}

/** Widths of the parts of a record in each codec, in bytes. */
interface Layout {
  readonly idBytes: 1 | 2;
  readonly countBytes: 1 | 2;
  readonly hasGeneration: boolean;
  readonly hasVariable: boolean;
  readonly widths: readonly number[];
}

const WIDTHS = [1, 2, 4, 8];

const LAYOUTS: ReadonlyMap<number, readonly Layout[]> = new Map([
  [
    CODEC.codec8,
    [
      { idBytes: 1, countBytes: 1, hasGeneration: false, hasVariable: false, widths: WIDTHS },
      // An option of old firmware: an additional group of 16-byte values, recognisable only by counts that do not add
      // up.
      { idBytes: 1, countBytes: 1, hasGeneration: false, hasVariable: false, widths: [...WIDTHS, 16] },
    ],
  ],
  [CODEC.codec8Extended, [{ idBytes: 2, countBytes: 2, hasGeneration: false, hasVariable: true, widths: WIDTHS }]],
  [CODEC.codec16, [{ idBytes: 2, countBytes: 1, hasGeneration: true, hasVariable: false, widths: WIDTHS }]],
]);

/**
 * The records between the first count and the second, or undefined if their end is invalid. If `isEndTrusted` is false,
 * the frame may be truncated.
 */
export function avlRecords(codec: number, cursorAt: () => Cursor, isEndTrusted: boolean): AvlRecord[] | undefined {
  const layouts = LAYOUTS.get(codec) ?? [];
  let whole: AvlRecord[] | undefined;
  for (const layout of layouts) {
    const cursor = cursorAt();
    const count = cursor.u8();
    const records: AvlRecord[] = [];
    while (records.length < count) {
      const record = recordAt(cursor, layout);
      if (!record) break;
      records.push(record);
    }
    if (records.length < count || cursor.isShort) continue;
    whole ??= records;
    // An untrusted checksum is still at the end.
    if (cursor.u8() === count && (cursor.left === 0 || (!isEndTrusted && cursor.left === 4)) && !cursor.isShort)
      return records;
  }
  return isEndTrusted ? undefined : whole;
}

function recordAt(cursor: Cursor, layout: Layout): AvlRecord | undefined {
  const number = (bytes: 1 | 2) => (bytes === 1 ? cursor.u8() : cursor.u16());
  const timestamp = cursor.u64();
  const priority = cursor.u8();
  const lng = cursor.i32() / 1e7;
  const lat = cursor.i32() / 1e7;
  const altitudeM = cursor.i16();
  const courseDeg = cursor.u16();
  const sats = cursor.u8();
  const speedKmh = cursor.u16();
  const eventId = number(layout.idBytes);
  const generation = layout.hasGeneration ? cursor.u8() : undefined;
  const total = number(layout.countBytes);
  const io: IoValue[] = [];
  for (const width of layout.widths)
    for (let left = number(layout.countBytes); left > 0 && !cursor.isShort; left -= 1)
      io.push({ id: number(layout.idBytes), bytes: cursor.take(width) });
  if (layout.hasVariable)
    for (let left = cursor.u16(); left > 0 && !cursor.isShort; left -= 1)
      io.push({ id: cursor.u16(), bytes: cursor.take(cursor.u16()), isVariable: true });
  if (cursor.isShort || io.length !== total) return undefined;
  return {
    timestamp,
    priority,
    lat,
    lng,
    altitudeM,
    courseDeg,
    sats,
    speedKmh,
    eventId,
    ...(generation === undefined ? {} : { generation }),
    io,
  };
}
