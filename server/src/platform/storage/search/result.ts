import { isoTime } from '../../times.ts';
import { type Cell, columnsOf, type Kind, type Row, type TableShape } from '../shape.ts';
import { OutOfTime, type SearchRequest } from './messages.ts';

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
    // The decimal then represents exactly this number, and no shorter decimal does.
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

const MAX_LENGTH = 64 * 1024 * 1024;
/** Rows between two looks at the clock. */
const LOOK_EVERY = 64;
const BRACKET = 91;
const COMMA = 44;

/** A thread makes one text at a time, without waiting in between. */
const json = new JsonBytes();

type Asked = Pick<SearchRequest, 'shape' | 'most'>;

/**
 * Builds the JSON text of the rows in the format of the API, row by row, so that no second copy of them is needed.
 * @param names of the cells in each row
 */
export function presentAsJson(
  { shape, most }: Asked,
  names: readonly string[],
  rows: Iterable<readonly Cell[]>,
  checkDeadline: () => void,
): string {
  const write = rowWriter(shape);
  const places = shape.flatMap(columnsOf).map((name) => names.indexOf(name));
  const isInOrder = places.every((place, index) => place === index);
  const inOrder = (cells: readonly Cell[]) => (isInOrder ? cells : places.map((place) => cells[place] ?? null));
  json.restart();
  let count = 0;
  let last: readonly Cell[] = [];
  for (const cells of rows) {
    if (count % LOOK_EVERY === 0) checkDeadline();
    if (count === most) {
      json.text(`]\n${count}`);
      if (count > 0) write(json, inOrder(last));
      json.text('+');
      return json.toString();
    }
    json.byte(count++ === 0 ? BRACKET : COMMA);
    write(json, inOrder(cells));
    last = cells;
    if (json.length > MAX_LENGTH) throw new OutOfTime('The search found too much to send.');
  }
  json.text(`${count === 0 ? '[' : ''}]${most === undefined ? '' : `\n${count}`}`);
  return json.toString();
}

/** The same of rows that are objects. */
export function presentObjectsAsJson(asked: Asked, rows: readonly Row[]): string {
  const names = asked.shape.flatMap(columnsOf);
  const lists = rows.map((row) => names.map((name) => row[name] ?? null));
  return presentAsJson(asked, names, lists, () => {});
}

type CellWriter = (json: JsonBytes, cells: readonly Cell[], index: number) => void;

const writeNumber: CellWriter = (json, cells, index) => {
  const cell = cells[index]!;
  if (typeof cell === 'number') json.number(cell);
  else json.text(JSON.stringify(cell));
};
/** As short as the API writes it, whatever spaces the engine adds. */
const writeJson: CellWriter = (json, cells, index) => json.text(JSON.stringify(JSON.parse(cells[index] as string)));

const ascii = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const [TRUE, FALSE, LAT, LNG] = ['true', 'false', '{"lat":', ',"lng":'].map(ascii) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const BRACE = 125;

/** By kind, how a cell that is set is written, as `presentRow` would show it. */
const WRITERS: Readonly<Record<Kind, CellWriter>> = {
  integer: writeNumber,
  number: writeNumber,
  text: (json, cells, index) => json.text(JSON.stringify(cells[index])),
  flag: (json, cells, index) => json.raw(cells[index] === 0 ? FALSE : TRUE),
  time: (json, cells, index) => json.time(cells[index] as number),
  json: writeJson,
  texts: writeJson,
  place(json, cells, index) {
    json.raw(LAT);
    writeNumber(json, cells, index);
    json.raw(LNG);
    writeNumber(json, cells, index + 1);
    json.byte(BRACE);
  },
};

/** Writes rows as JSON, each a list of the cells of a shape in their order: no object is made of any of them. */
export function rowWriter(shape: TableShape): (json: JsonBytes, cells: readonly Cell[]) => void {
  let next = 0;
  const fields = shape.map((field, index) => {
    const offset = next;
    next += columnsOf(field).length;
    const start = `${index === 0 ? '{' : ','}${JSON.stringify(field.name)}:`;
    return { offset, start: ascii(start), unset: ascii(`${start}null`), write: WRITERS[field.kind] };
  });
  return (json, cells) => {
    if (fields.length === 0) json.text('{');
    for (const { offset, start, unset, write } of fields) {
      if (cells[offset] === null) {
        json.raw(unset);
        continue;
      }
      json.raw(start);
      write(json, cells, offset);
    }
    json.byte(BRACE);
  };
}
