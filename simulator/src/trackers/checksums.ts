/** CRC-16, bit by bit: slow and plain, unlike the server's, with which it must agree. */
function crc16(bytes: Buffer, polynomial: number, start: number): number {
  let crc = start;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ polynomial : crc >> 1;
  }
  return crc;
}

export const arc = (bytes: Buffer) => crc16(bytes, 0xa001, 0);
export const x25 = (bytes: Buffer) => crc16(bytes, 0x8408, 0xffff) ^ 0xffff;
export const xor = (bytes: Buffer) => bytes.reduce((sum, byte) => sum ^ byte, 0);
