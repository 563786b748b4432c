/**
 * Reads a frame sequentially. Beyond the end every number is 0 and `isShort` becomes true, so that a decoder never
 * throws and checks once, at the end, whether all bytes were there.
 */
export class Cursor {
  readonly bytes: Buffer;
  readonly end: number;
  at: number;
  isShort = false;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.end = Math.max(0, Math.min(end, bytes.length));
    this.at = Math.min(at, this.end);
  }

  get left(): number {
    return this.end - this.at;
  }

  /** The offset of the next bytes, or -1 if there are too few. */
  #next(count: number): number {
    if (this.left < count) {
      this.isShort = true;
      this.at = this.end;
      return -1;
    }
    this.at += count;
    return this.at - count;
  }

  u8(): number {
    const at = this.#next(1);
    return at < 0 ? 0 : this.bytes.readUInt8(at);
  }

  i8(): number {
    const at = this.#next(1);
    return at < 0 ? 0 : this.bytes.readInt8(at);
  }

  u16(): number {
    const at = this.#next(2);
    return at < 0 ? 0 : this.bytes.readUInt16BE(at);
  }

  i16(): number {
    const at = this.#next(2);
    return at < 0 ? 0 : this.bytes.readInt16BE(at);
  }

  u24(): number {
    const at = this.#next(3);
    return at < 0 ? 0 : this.bytes.readUIntBE(at, 3);
  }

  u32(): number {
    const at = this.#next(4);
    return at < 0 ? 0 : this.bytes.readUInt32BE(at);
  }

  i32(): number {
    const at = this.#next(4);
    return at < 0 ? 0 : this.bytes.readInt32BE(at);
  }

  f32(): number {
    const at = this.#next(4);
    return at < 0 ? 0 : this.bytes.readFloatBE(at);
  }

  /** As a number, exact up to 2^53. */
  u64(): number {
    const at = this.#next(8);
    return at < 0 ? 0 : Number(this.bytes.readBigUInt64BE(at));
  }

  u16le(): number {
    const at = this.#next(2);
    return at < 0 ? 0 : this.bytes.readUInt16LE(at);
  }

  i16le(): number {
    const at = this.#next(2);
    return at < 0 ? 0 : this.bytes.readInt16LE(at);
  }

  u32le(): number {
    const at = this.#next(4);
    return at < 0 ? 0 : this.bytes.readUInt32LE(at);
  }

  i32le(): number {
    const at = this.#next(4);
    return at < 0 ? 0 : this.bytes.readInt32LE(at);
  }

  /** The next bytes; fewer if the frame ends. */
  take(count: number): Buffer {
    const from = this.at;
    this.skip(count);
    return this.bytes.subarray(from, this.at);
  }

  skip(count: number): void {
    const isThere = count >= 0 && count <= this.left;
    if (!isThere) this.isShort = true;
    this.at = isThere ? this.at + count : this.end;
  }
}

/** Text of a device, trimmed; bytes that are not text become hexadecimal digits. */
export function textOrHex(bytes: Buffer): string {
  return isPrintable(bytes) ? bytes.toString('latin1').trim() : bytes.toString('hex');
}

export const isPrintable = (bytes: Buffer) =>
  bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d);

/** Whether a command consists of printable ASCII characters. */
export const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);
