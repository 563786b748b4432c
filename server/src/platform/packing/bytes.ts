/** Writes and reads the parts of a packed format: variable-length integers, doubles, texts. */

/** Integers below this are exact, and so are their first and second differences. */
export const LARGEST_WHOLE = 2 ** 48;

export class ByteWriter {
  #bytes: Uint8Array = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** An integer from 0 to 2^53, seven bits per byte, lowest first. */
  whole(value: number): void {
    this.#reserve(8);
    let remaining = value;
    while (remaining >= 0x80000000) {
      this.#bytes[this.#length++] = (remaining % 128) + 128;
      remaining = Math.floor(remaining / 128);
    }
    while (remaining >= 128) {
      this.#bytes[this.#length++] = (remaining & 127) | 128;
      remaining >>>= 7;
    }
    this.#bytes[this.#length++] = remaining;
  }

  /** A signed integer: values near zero take one byte. */
  signed(value: number): void {
    this.whole(zigzag(value));
  }

  double(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value);
    this.#length += 8;
  }

  bytes(part: Uint8Array): void {
    this.#reserve(part.length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  text(value: string): void {
    const encoded = Buffer.from(value, 'utf8');
    this.whole(encoded.length);
    this.bytes(encoded);
  }

  finished(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    if (this.#at >= this.#bytes.length) throw new RangeError('The packed form ends too early.');
    return this.#bytes[this.#at++]!;
  }

  whole(): number {
    let byte = this.byte();
    if (byte < 128) return byte;
    let value = byte & 127;
    let factor = 128;
    do {
      byte = this.byte();
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte >= 128);
    return value;
  }

  signed(): number {
    const value = this.whole();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  double(): number {
    const value = this.#view.getFloat64(this.#at);
    this.#at += 8;
    return value;
  }

  bytes(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new RangeError('The packed form ends too early.');
    const part = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return part;
  }

  text(): string {
    const part = this.bytes(this.whole());
    return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('utf8');
  }
}

const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value);

/** The number of bytes of `signed`. */
export function signedLength(value: number): number {
  let remaining = zigzag(value);
  let length = 1;
  while (remaining >= 128) {
    remaining /= 128;
    length += 1;
  }
  return length;
}
