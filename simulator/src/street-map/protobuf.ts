/** The little of Protocol Buffers that vector tiles need. */

const VARINT = 0;
const BYTES = 2;

export function varint(value: number): number[] {
  const bytes: number[] = [];
  let remaining = value;
  while (remaining >= 128) {
    bytes.push((remaining % 128) | 128);
    remaining = Math.floor(remaining / 128);
  }
  bytes.push(remaining);
  return bytes;
}

/** Small numbers of either sign become small numbers. */
export const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

export const numberField = (field: number, value: number): number[] => [
  ...varint((field << 3) | VARINT),
  ...varint(value),
];

export function bytesField(field: number, parts: readonly (readonly number[] | Uint8Array)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (part instanceof Uint8Array ? part : Buffer.from(part))));
  return Buffer.concat([Buffer.from([...varint((field << 3) | BYTES), ...varint(body.length)]), body]);
}

export const textField = (field: number, text: string): Buffer => bytesField(field, [Buffer.from(text, 'utf8')]);

/** Numbers one after the other. */
export const packed = (field: number, values: readonly number[]): Buffer =>
  bytesField(field, [values.flatMap((value) => varint(value))]);
