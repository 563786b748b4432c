import type { TrackerCommand } from '../tracker.ts';

type Parameters = Extract<TrackerCommand, { name: string }>['parameters'];

/** The parameter `seconds` of an interval, undefined where the device can't have it. */
export function secondsOf({ seconds }: Parameters, least: number, most: number): number | undefined {
  const value = Number(seconds);
  return Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}

/** The parameter `on` of what is switched. It is on unless told otherwise. */
export const isOn = ({ on = true }: Parameters) =>
  on === true || on === 1 || on === 'true' || on === '1' || on === 'on';

/** The parameter `output`, the number of an output, from 1. */
export function outputOf({ output = 1 }: Parameters, most: number): number | undefined {
  const value = Number(output);
  return Number.isInteger(value) && value >= 1 && value <= most ? value : undefined;
}

/** A text that can go into a frame whose marks are `marks`, undefined where it would break it. */
export function safeText(text: string, marks: RegExp): string | undefined {
  const isSafe = text.length > 0 && text.length <= 500 && /^[\x20-\x7e]+$/.test(text) && !marks.test(text);
  return isSafe ? text : undefined;
}
