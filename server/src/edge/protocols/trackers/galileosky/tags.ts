import type { Cursor } from '../frame/cursor.ts';

/** The values of one record, by tag. */
export type GalileoskyTags = ReadonlyMap<number, Buffer>;

export const TAG = {
  hardware: 0x01,
  firmware: 0x02,
  imei: 0x03,
  deviceNumber: 0x04,
  record: 0x10,
  time: 0x20,
  place: 0x30,
  motion: 0x33,
  altitude: 0x34,
  hdop: 0x35,
  status: 0x40,
  supply: 0x41,
  battery: 0x42,
  temperature: 0x43,
  outputs: 0x45,
  inputs: 0x46,
  ibutton: 0x90,
  fuelUsed: 0xc0,
  engine: 0xc1,
  odometer: 0xd4,
  commandNumber: 0xe0,
  text: 0xe1,
  userArray: 0xea,
  extended: 0xfe,
} as const;

/** Number of bytes after a tag. */
const LENGTHS: ReadonlyMap<number, number> = new Map(
  (
    [
      [1, [0x01, 0x02, 0x35, 0x43, [0x88, 0x8c], [0xa0, 0xaf], [0xc4, 0xd2], 0xd5]],
      [
        2,
        [
          0x04,
          0x10,
          0x34,
          [0x40, 0x42],
          0x45,
          0x46,
          0x48,
          [0x50, 0x59],
          [0x60, 0x62],
          [0x70, 0x77],
          [0xb0, 0xb9],
          [0xd6, 0xda],
        ],
      ],
      [3, [0x5d, [0x63, 0x6f], [0x80, 0x87], 0xfa]],
      [4, [0x20, 0x33, 0x44, 0x47, 0x5a, 0x90, [0xc0, 0xc3], 0xd3, 0xd4, [0xdb, 0xe0], [0xe2, 0xe9], [0xf0, 0xf9]]],
      [7, [0x5b]],
      [8, [0xfd]],
      [9, [0x30]],
      [15, [0x03]],
      [68, [0x5c]],
    ] as const
  ).flatMap(([length, tags]) =>
    tags.flatMap((tag) => {
      const [from, to] = typeof tag === 'number' ? [tag, tag] : tag;
      return Array.from({ length: to - from + 1 }, (_, index) => [from + index, length] as const);
    }),
  ),
);

/** The bytes of a tag; undefined if its length is unknown or bytes are missing. */
export function valueAt(cursor: Cursor, tag: number): Buffer | undefined {
  const length =
    tag === TAG.text || tag === TAG.userArray ? cursor.u8() : tag === TAG.extended ? cursor.u16le() : LENGTHS.get(tag);
  if (length === undefined) return undefined;
  const value = cursor.take(length);
  return cursor.isShort ? undefined : value;
}

export interface CutTags {
  readonly records: readonly GalileoskyTags[];
  /** Whether all tags were known. Tags after an unknown one cannot be read. */
  readonly isWhole: boolean;
}

/** Tags ascend within a record: a repeated tag starts the next record. */
export function recordsIn(cursor: Cursor): CutTags {
  const records: Map<number, Buffer>[] = [];
  let current = new Map<number, Buffer>();
  while (cursor.left > 0) {
    const tag = cursor.u8();
    if (current.has(tag)) {
      records.push(current);
      current = new Map();
    }
    const value = valueAt(cursor, tag);
    if (value === undefined) return { records: [...records, current], isWhole: false };
    current.set(tag, value);
  }
  return { records: [...records, current], isWhole: true };
}
