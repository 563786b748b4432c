import { type ByteReader, type ByteWriter, LARGEST_WHOLE, signedLength } from './bytes.ts';

/**
 * A column of numbers, packed exactly. Devices report decimal fractions: the column becomes whole numbers of the largest
 * unit that fits, and of these the differences, or the differences of the differences, whichever is shorter. A number
 * that is no such fraction is written apart, as it is.
 */

/** The forms of a column. They are written down in databases: a number never changes its meaning. */
const EMPTY = 0;
const WHOLES = 1;
const DOUBLES = 2;

const POWERS = Array.from({ length: 10 }, (_, exponent) => 10 ** exponent);

/** @param decimals at most so many are looked for: a number with more of them is written apart */
export function packNumbers(into: ByteWriter, cells: readonly (number | null)[], decimals: number): void {
  const present = cells.filter((cell) => cell !== null);
  if (present.length === 0) {
    into.byte(EMPTY);
    return;
  }
  const exponent = exponentOf(present, decimals);
  const apart = present.filter((cell) => !fits(cell, POWERS[exponent]!));
  // An index and eight bytes for each: beyond that many, whole doubles are shorter.
  if (apart.length * 2 > present.length) packDoubles(into, cells, present);
  else packWholes(into, cells, exponent);
}

export function unpackNumbers(from: ByteReader, count: number): (number | null)[] {
  const form = from.byte();
  if (form === EMPTY) return new Array(count).fill(null);
  if (form === WHOLES) return unpackWholes(from, count);
  if (form === DOUBLES) return unpackDoubles(from, count);
  throw new RangeError(`There is no form ${form} of a column of numbers.`);
}

/** The smallest with which all fit that would fit with any. */
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

/** Whether the number is exactly a whole number of this part. Zero with a sign is not: it would lose it. */
function fits(cell: number, power: number): boolean {
  const whole = Math.round(cell * power) + 0;
  return whole < LARGEST_WHOLE && whole > -LARGEST_WHOLE && Object.is(whole / power, cell);
}

function packWholes(into: ByteWriter, cells: readonly (number | null)[], exponent: number): void {
  const power = POWERS[exponent]!;
  const wholes: number[] = [];
  const apart: { index: number; cell: number }[] = [];
  cells.forEach((cell, index) => {
    if (cell === null) return;
    if (fits(cell, power)) wholes.push(Math.round(cell * power));
    else apart.push({ index, cell });
  });
  const order = bestOrder(wholes);
  into.byte(WHOLES);
  into.byte(exponent);
  into.byte(order);
  into.whole(apart.length);
  let last = 0;
  for (const { index, cell } of apart) {
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
  const apart = new Map<number, number>();
  let index = 0;
  for (let left = from.whole(); left > 0; left -= 1) {
    index += from.whole();
    apart.set(index, from.double());
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
    if (apart.size > 0) {
      const cell = apart.get(at);
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

/** Whether the numbers themselves are shortest, their differences, or the differences of these. */
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
  // Differences repeat more often than what they are differences of, and so are compressed better.
  if (lengths[2]! < lengths[1]! * 0.9) return 2;
  return lengths[1]! <= lengths[0]! ? 1 : 0;
}

/** The first bytes of doubles are alike, the last are not: like stands by like, so that it can be compressed. */
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

/** One byte where all are there, else a bit for each. */
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
