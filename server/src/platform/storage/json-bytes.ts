import { isoTime } from '../iso-time.ts';

const FIRST_BYTES = 64 * 1024;
const KEPT_BYTES = 1024 * 1024;
/** More than the longest number or time. */
const ROOM = 32;
const ZERO = 48;
const MINUS = 45;
const POINT = 46;
const COLON = 58;
const QUOTE = 34;
const Z = 90;
const DAY_MS = 86_400_000;
/** Positions have no more decimals. */
const DECIMALS = 7;
const SCALE = 10 ** DECIMALS;
/** Decimals of up to 15 digits, and numbers, are one to one. */
const MOST_SCALED = 1e15;
/** Numbers below it are written with an exponent. */
const LEAST_PLAIN = 1e-6;
const HALF = 1e9;

/** Text of JSON in the making, as bytes: numbers and times, most of what is sent, are written digit by digit. */
export class JsonBytes {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;
  #isAscii = true;
  #day = Number.NaN;
  #dayText: Uint8Array = new Uint8Array(0);

  get length(): number {
    return this.#length;
  }

  toString(): string {
    return this.#bytes.toString(this.#isAscii ? 'latin1' : 'utf8', 0, this.#length);
  }

  /** Begins another text in the same memory. */
  restart(): void {
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
    this.#length = 0;
    this.#isAscii = true;
  }

  /** What is ASCII, given as bytes. */
  raw(ascii: Uint8Array): void {
    this.#reserve(ascii.length);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < ascii.length; index++) bytes[at++] = ascii[index]!;
    this.#length = at;
  }

  byte(code: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = code;
  }

  text(text: string): void {
    this.#reserve(text.length * 3);
    const written = this.#bytes.write(text, this.#length, 'utf8');
    if (written !== text.length) this.#isAscii = false;
    this.#length += written;
  }

  /** A number as `JSON.stringify` writes it. */
  number(value: number): void {
    const scaled = Math.round(value * SCALE);
    const size = Math.abs(scaled);
    if (Number.isSafeInteger(value)) this.#integer(value);
    // The decimal and the number then stand for each other, and no shorter decimal does.
    else if (size < MOST_SCALED && scaled / SCALE === value && Math.abs(value) >= LEAST_PLAIN)
      this.#decimal(value < 0, size);
    else this.text(Number.isFinite(value) ? `${value}` : 'null');
  }

  /** A time as `isoTime` writes it, in quotes. */
  time(at: number): void {
    this.#reserve(ROOM);
    const day = Math.floor(at / DAY_MS);
    if (day !== this.#day) {
      this.#dayText = Buffer.from(`"${isoTime(day * DAY_MS).slice(0, -13)}`);
      this.#day = day;
    }
    this.raw(this.#dayText);
    const rest = at - day * DAY_MS;
    const seconds = (rest / 1000) | 0;
    const minutes = (seconds / 60) | 0;
    const hours = (minutes / 60) | 0;
    this.#digits(hours, 2);
    this.#bytes[this.#length++] = COLON;
    this.#digits(minutes - hours * 60, 2);
    this.#bytes[this.#length++] = COLON;
    this.#digits(seconds - minutes * 60, 2);
    this.#bytes[this.#length++] = POINT;
    this.#digits(rest - seconds * 1000, 3);
    this.#bytes[this.#length++] = Z;
    this.#bytes[this.#length++] = QUOTE;
  }

  #integer(value: number): void {
    this.#reserve(ROOM);
    let left = value;
    if (left < 0) {
      this.#bytes[this.#length++] = MINUS;
      left = -left;
    }
    this.#whole(left);
  }

  #decimal(isNegative: boolean, scaled: number): void {
    this.#reserve(ROOM);
    if (isNegative) this.#bytes[this.#length++] = MINUS;
    const whole = Math.floor(scaled / SCALE);
    this.#whole(whole);
    this.#bytes[this.#length++] = POINT;
    let rest = scaled - whole * SCALE;
    let digits = DECIMALS;
    while (rest % 10 === 0) {
      rest /= 10;
      digits--;
    }
    this.#digits(rest, digits);
  }

  #whole(value: number): void {
    const high = value < HALF ? 0 : Math.floor(value / HALF);
    const low = value - high * HALF;
    if (high > 0) this.#digits(high, digitsOf(high));
    this.#digits(low, high > 0 ? 9 : digitsOf(low));
  }

  /** @param value below 2³¹ */
  #digits(value: number, count: number): void {
    const bytes = this.#bytes;
    let left = value | 0;
    for (let at = this.#length + count - 1; at >= this.#length; at--) {
      const next = (left / 10) | 0;
      bytes[at] = ZERO + left - next * 10;
      left = next;
    }
    this.#length += count;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function digitsOf(value: number): number {
  let count = 1;
  for (let bound = 10; value >= bound && count < 10; bound *= 10) count++;
  return count;
}
