import type { EntryPart, LaneRange, LogPosition } from './log-position.ts';

/**
 * Places as text, for the ids of events. Of a log with one lane: `12` is after all of entry 12, `12.3` after its event 3.
 * Of one with more: `v` and the smallest id in base 36, then for each lane how far it is past that, then lane and index
 * of an entry that was received in part: `v2s-AAdB….7.0`.
 */

/** Five bits a letter, low ones first; the sixth says that more follow. */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function lettersOf(count: number): string {
  let text = '';
  let rest = count;
  do {
    const digit = rest % 32;
    rest = Math.floor(rest / 32);
    text += LETTERS[rest > 0 ? digit + 32 : digit];
  } while (rest > 0);
  return text;
}

/** Undefined if the letters are not exactly so many numbers. */
function numbersOf(letters: string, count: number): number[] | undefined {
  const numbers: number[] = [];
  let number = 0;
  let unit = 1;
  for (const letter of letters) {
    const value = LETTERS.indexOf(letter);
    number += (value % 32) * unit;
    unit *= 32;
    if (value >= 32) continue;
    numbers.push(number);
    number = 0;
    unit = 1;
  }
  return unit === 1 && numbers.length === count && numbers.every(Number.isSafeInteger) ? numbers : undefined;
}

const least = (lanes: readonly number[]) => lanes.reduce((a, b) => Math.min(a, b));
const headOf = (base: number) => `v${base.toString(36)}-`;

/** After all of the entries up to a place. */
export function textOfLanes(lanes: readonly number[]): string {
  if (lanes.length === 1) return String(lanes[0]);
  const base = least(lanes);
  return headOf(base) + lanes.map((id) => lettersOf(id - base)).join('');
}

export function textOf({ lanes, part, isOfOneLane }: LogPosition): string {
  if (isOfOneLane) return part ? `${part.entry}.${part.index}` : String(lanes[0]);
  if (part?.lane === undefined) return textOfLanes(lanes);
  return eventTexts(lanes, [])(part.lane, part.entry, part.index);
}

/**
 * The places of events on the way through ranges, lane by lane.
 * @returns the text for an event
 */
export function eventTexts(
  lanes: readonly number[],
  ranges: readonly LaneRange[],
): (lane: number, entry: number, index: number) => string {
  if (lanes.length === 1) return (_, entry, index) => `${entry}.${index}`;
  const base = least(lanes);
  const before = lanes.map((id) => lettersOf(id - base));
  const after = [...before];
  for (const { lane, upTo } of ranges) after[lane] = lettersOf(upTo - base);
  const around = new Map<number, readonly [string, string]>();
  return (lane, entry, index) => {
    let ends = around.get(lane);
    if (ends === undefined) {
      ends = [headOf(base) + after.slice(0, lane).join(''), before.slice(lane + 1).join('')];
      around.set(lane, ends);
    }
    return `${ends[0]}${lettersOf(entry - base)}${ends[1]}.${lane}.${index}`;
  };
}

/** Returns undefined if the text is not a place in a log of so many lanes. */
export function positionOf(text: string, laneCount: number): LogPosition | undefined {
  const oneNumber = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(text.trim());
  if (oneNumber !== null) return ofOneNumber(Number(oneNumber[1]), oneNumber[2], laneCount);
  const match = /^v([0-9a-z]{1,10})-([\w-]{1,1000})(?:\.(\d{1,3})\.(\d{1,9}))?$/.exec(text.trim());
  const pasts = match && laneCount > 1 ? numbersOf(match[2]!, laneCount) : undefined;
  if (match === null || pasts === undefined) return undefined;
  const base = Number.parseInt(match[1]!, 36);
  const lanes = pasts.map((past) => base + past);
  if (match[3] === undefined) return { lanes };
  const lane = Number(match[3]);
  if (lane >= laneCount) return undefined;
  const part: EntryPart = { lane, entry: lanes[lane]!, index: Number(match[4]) };
  lanes[lane]!--;
  return { lanes, part };
}

/** With more lanes: from the time when the log had only one. */
function ofOneNumber(entry: number, index: string | undefined, laneCount: number): LogPosition {
  const isWhole = index === undefined;
  const lanes = new Array<number>(laneCount).fill(isWhole ? entry : entry - 1);
  if (isWhole) return laneCount > 1 ? { lanes, isOfOneLane: true } : { lanes };
  const part: EntryPart = { lane: laneCount > 1 ? undefined : 0, entry, index: Number(index) };
  return laneCount > 1 ? { lanes, part, isOfOneLane: true } : { lanes, part };
}
