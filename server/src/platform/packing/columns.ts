import { type ByteReader, type ByteWriter, LARGEST_WHOLE, signedLength } from './bytes.ts';

/**
 * A column of numbers, packed exactly. Devices report decimal fractions: the column becomes integers of the largest
 * unit that fits, stored as first or second differences (the shorter form). Other numbers are stored separately and
 * unchanged.
 */

/** The formats of a column. They are stored in databases: a code never changes its meaning. */
const EMPTY = 0;
const WHOLES = 1;
const DOUBLES = 2;

const POWERS = Array.from({ length: 10 }, (_, exponent) => 10 ** exponent);

/** @param decimals maximum to try: a number with more decimals is stored separately */
export function packNumbers(into: ByteWriter, cells: readonly (number | null)[], decimals: number): void {
  const present = cells.filter((cell) => cell !== null);
  if (present.length === 0) {
    into.byte(EMPTY);
    return;
  }
  const exponent = exponentOf(present, decimals);
  const exceptions = present.filter((cell) => !fits(cell, POWERS[exponent]!));
  // An index and eight bytes for each: beyond this share, a column of doubles is shorter.
  if (exceptions.length * 2 > present.length) packDoubles(into, cells, present);
  else packWholes(into, cells, exponent);
}

export function unpackNumbers(from: ByteReader, count: number): (number | null)[] {
  const form = from.byte();
  if (form === EMPTY) return new Array(count).fill(null);
  if (form === WHOLES) return unpackWholes(from, count);
  if (form === DOUBLES) return unpackDoubles(from, count);
  throw new RangeError(`There is no form ${form} of a column of numbers.`);
}

/** The smallest exponent that fits all numbers that fit with any. */
function exponentOf(cells: readonly number[], most: number): number {
  let exponent = 0;
  for (const cell of cells) {
    if (fits(cell, POWERS[exponent]!)) continue;
    for (let more = exponent + 1; more <= most; more += 1) {
      if (!fits(cell, POWERS[more]!)) continue;
      exponent = more;
      break;
    }
  }
  return exponent;
}

/** Whether the number is exactly a multiple of this unit. Negative zero is not, because it would lose its sign. */
function fits(cell: number, power: number): boolean {
  const whole = Math.round(cell * power) + 0;
  return whole < LARGEST_WHOLE && whole > -LARGEST_WHOLE && Object.is(whole / power, cell);
}

function packWholes(into: ByteWriter, cells: readonly (number | null)[], exponent: number): void {
  const power = POWERS[exponent]!;
  const wholes: number[] = [];
  const exceptions: { index: number; cell: number }[] = [];
  cells.forEach((cell, index) => {
    if (cell === null) return;
    if (fits(cell, power)) wholes.push(Math.round(cell * power));
    else exceptions.push({ index, cell });
  });
  const order = bestOrder(wholes);
  into.byte(WHOLES);
  into.byte(exponent);
  into.byte(order);
  into.whole(exceptions.length);
  let last = 0;
  for (const { index, cell } of exceptions) {
    into.whole(index - last);
    into.double(cell);
    last = index;
  }
  packPresence(into, cells);
  let value = 0;
  let step = 0;
  for (const whole of wholes) {
    const newStep = whole - value;
    into.signed(order === 0 ? whole : order === 1 ? newStep : newStep - step);
    value = whole;
    step = newStep;
  }
}

function unpackWholes(from: ByteReader, count: number): (number | null)[] {
  const power = POWERS[from.byte()]!;
  const order = from.byte();
  const exceptions = new Map<number, number>();
  let index = 0;
  for (let left = from.whole(); left > 0; left -= 1) {
    index += from.whole();
    exceptions.set(index, from.double());
  }
  const cells: (number | null)[] = new Array(count);
  const isPresent = unpackPresence(from, count);
  let value = 0;
  let step = 0;
  for (let at = 0; at < count; at += 1) {
    if (isPresent !== undefined && !isPresent(at)) {
      cells[at] = null;
      continue;
    }
    if (exceptions.size > 0) {
      const cell = exceptions.get(at);
      if (cell !== undefined) {
        cells[at] = cell;
        continue;
      }
    }
    const read = from.signed();
    if (order === 0) value = read;
    else {
      step = order === 1 ? read : step + read;
      value += step;
    }
    cells[at] = value / power;
  }
  return cells;
}

/** Whether the numbers, their first or their second differences are shortest. */
function bestOrder(wholes: readonly number[]): 0 | 1 | 2 {
  const lengths = [0, 0, 0];
  let value = 0;
  let step = 0;
  for (const whole of wholes) {
    const newStep = whole - value;
    lengths[0]! += signedLength(whole);
    lengths[1]! += signedLength(newStep);
    lengths[2]! += signedLength(newStep - step);
    value = whole;
    step = newStep;
  }
  // Differences repeat more often than the original numbers, and so compress better.
  if (lengths[2]! < lengths[1]! * 0.9) return 2;
  return lengths[1]! <= lengths[0]! ? 1 : 0;
}

/** The first bytes of doubles are similar, the last are not: bytes of the same position are grouped for compression. */
function packDoubles(into: ByteWriter, cells: readonly (number | null)[], present: readonly number[]): void {
  into.byte(DOUBLES);
  packPresence(into, cells);
  const view = new DataView(new ArrayBuffer(present.length * 8));
  present.forEach((cell, index) => {
    view.setFloat64(index * 8, cell);
  });
  for (let plane = 0; plane < 8; plane += 1)
    for (let index = 0; index < present.length; index += 1) into.byte(view.getUint8(index * 8 + plane));
}

function unpackDoubles(from: ByteReader, count: number): (number | null)[] {
  const isPresent = unpackPresence(from, count);
  let presentCount = 0;
  for (let at = 0; at < count; at += 1) if (isPresent === undefined || isPresent(at)) presentCount += 1;
  const view = new DataView(new ArrayBuffer(presentCount * 8));
  for (let plane = 0; plane < 8; plane += 1)
    for (let index = 0; index < presentCount; index += 1) view.setUint8(index * 8 + plane, from.byte());
  let next = 0;
  return Array.from({ length: count }, (_, at) =>
    isPresent === undefined || isPresent(at) ? view.getFloat64(8 * next++) : null,
  );
}

/** One byte if all are present, else a bit for each. */
function packPresence(into: ByteWriter, cells: readonly (number | null)[]): void {
  const hasNulls = cells.includes(null);
  into.byte(hasNulls ? 1 : 0);
  if (!hasNulls) return;
  const bits = new Uint8Array(Math.ceil(cells.length / 8));
  cells.forEach((cell, index) => {
    if (cell !== null) bits[index >> 3]! |= 1 << (index & 7);
  });
  into.bytes(bits);
}

function unpackPresence(from: ByteReader, count: number): ((index: number) => boolean) | undefined {
  if (from.byte() === 0) return undefined;
  const bits = from.bytes(Math.ceil(count / 8));
  return (index) => (bits[index >> 3]! & (1 << (index & 7))) !== 0;
}

/** A column of texts: each distinct text once, in the order of first appearance, and its index for each row. */

const NO_TEXTS = 0;
const TEXTS = 1;

export function packTexts(into: ByteWriter, cells: readonly (string | null)[]): void {
  const numbers = new Map<string, number>();
  const which = cells.map((cell) => {
    if (cell === null) return null;
    const known = numbers.get(cell);
    if (known !== undefined) return known;
    numbers.set(cell, numbers.size);
    return numbers.size - 1;
  });
  if (numbers.size === 0) {
    into.byte(NO_TEXTS);
    return;
  }
  into.byte(TEXTS);
  into.whole(numbers.size);
  for (const text of numbers.keys()) into.text(text);
  packNumbers(into, which, 0);
}

export function unpackTexts(from: ByteReader, count: number): (string | null)[] {
  const form = from.byte();
  if (form === NO_TEXTS) return new Array(count).fill(null);
  if (form !== TEXTS) throw new RangeError(`There is no form ${form} of a column of texts.`);
  const texts = Array.from({ length: from.whole() }, () => from.text());
  return unpackNumbers(from, count).map((number) => (number === null ? null : texts[number]!));
}
