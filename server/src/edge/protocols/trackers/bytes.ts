/** Read numbers from a frame. Beyond its end they return undefined, so that decoders never throw. */

export function u8(bytes: Buffer, at: number): number | undefined {
  return at >= 0 && at < bytes.length ? bytes[at] : undefined;
}

export const u16 = (bytes: Buffer, at: number) => (fits(bytes, at, 2) ? bytes.readUInt16BE(at) : undefined);
export const i16 = (bytes: Buffer, at: number) => (fits(bytes, at, 2) ? bytes.readInt16BE(at) : undefined);
export const u32 = (bytes: Buffer, at: number) => (fits(bytes, at, 4) ? bytes.readUInt32BE(at) : undefined);
export const i32 = (bytes: Buffer, at: number) => (fits(bytes, at, 4) ? bytes.readInt32BE(at) : undefined);

const fits = (bytes: Buffer, at: number, count: number) => at >= 0 && at + count <= bytes.length;

/** Binary-coded decimal digits, as text. */
export const bcd = (bytes: Buffer, from: number, to: number) => bytes.toString('hex', from, Math.min(to, bytes.length));

/** CRC-16 with a reflected polynomial. */
function reflectedCrc16(
  polynomial: number,
  start: number,
  xor: number,
): (bytes: Buffer, from: number, to: number) => number {
  const table = Uint16Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    return value;
  });
  return (bytes, from, to) => {
    let crc = start;
    for (let at = from; at < to; at += 1) crc = (crc >>> 8) ^ table[(crc ^ bytes[at]!) & 0xff]!;
    return crc ^ xor;
  };
}

export const crcArc = reflectedCrc16(0xa001, 0, 0);
export const crcModbus = reflectedCrc16(0xa001, 0xffff, 0);
export const crcX25 = reflectedCrc16(0x8408, 0xffff, 0xffff);
export const crcKermit = reflectedCrc16(0x8408, 0, 0);

/** XOR of all bytes. */
export function xorOf(bytes: Buffer, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum ^= bytes[at]!;
  return sum;
}
