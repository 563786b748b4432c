import type { ByteReader, ByteWriter } from './bytes.ts';
import { packNumbers, unpackNumbers } from './number-column.ts';
import { packTexts, unpackTexts } from './text-column.ts';

/**
 * A column of JSON texts whose kind follows from another column: what a thermometer says is a number, what a button says
 * is a word. The texts of each kind are packed by themselves, as numbers where they all are.
 */

/** The forms of the texts of one kind. They are written down in databases: a number never changes its meaning. */
const NUMBERS = 1;
const TEXTS = 2;

/** With more decimals a number is written apart. */
const DECIMALS = 6;

const isNumber = (text: string) => {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text;
};

/** @param kinds the kind of each row, of which none is null */
export function packJson(into: ByteWriter, cells: readonly (string | null)[], kinds: readonly string[]): void {
  for (const places of placesOf(kinds).values()) {
    const some = places.map((place) => cells[place]!);
    if (some.every((cell) => cell === null || isNumber(cell))) {
      into.byte(NUMBERS);
      packNumbers(
        into,
        some.map((cell) => (cell === null ? null : Number(cell))),
        DECIMALS,
      );
    } else {
      into.byte(TEXTS);
      packTexts(into, some);
    }
  }
}

export function unpackJson(from: ByteReader, kinds: readonly string[]): (string | null)[] {
  const cells: (string | null)[] = new Array(kinds.length).fill(null);
  for (const places of placesOf(kinds).values()) {
    const some = unpackSome(from, places.length);
    places.forEach((place, index) => {
      cells[place] = some[index]!;
    });
  }
  return cells;
}

function unpackSome(from: ByteReader, count: number): (string | null)[] {
  const form = from.byte();
  if (form === NUMBERS) return unpackNumbers(from, count).map((number) => (number === null ? null : String(number)));
  if (form === TEXTS) return unpackTexts(from, count);
  throw new RangeError(`There is no form ${form} of a column of JSON.`);
}

/** The rows of each kind, in the order in which the kinds first appear. */
function placesOf(kinds: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  kinds.forEach((kind, place) => {
    const others = places.get(kind);
    if (others === undefined) places.set(kind, [place]);
    else others.push(place);
  });
  return places;
}
