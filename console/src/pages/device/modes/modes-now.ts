import type { Mode } from '../../../api/commands.ts';

export interface ModesNow {
  /** What the device is in, as far as it confirmed. */
  readonly active: Mode | undefined;
  /** What it has not heard of yet, newest first. */
  readonly waiting: readonly Mode[];
}

/** The last mode that the device confirmed holds until its end, or until it confirms another. */
export function modesNow(modes: readonly Mode[], now: number): ModesNow {
  const confirmed = modes
    .filter(({ sent }) => sent !== null)
    .toSorted((one, other) => Date.parse(other.sent!) - Date.parse(one.sent!));
  const last = confirmed[0];
  const isOver = last === undefined || (last.end !== null && Date.parse(last.end) <= now);
  return { active: isOver ? undefined : last, waiting: modes.filter(({ sent }) => sent === null) };
}
