import type { Mode } from '../../../api/commands.ts';

export interface ModesNow {
  /** The confirmed current mode. */
  readonly active: Mode | undefined;
  /** Modes that the device has not received yet, newest first. */
  readonly waiting: readonly Mode[];
}

/** The last confirmed mode is active until its end, or until the device confirms another. */
export function modesNow(modes: readonly Mode[], now: number): ModesNow {
  const confirmed = modes
    .filter(({ sent }) => sent !== null)
    .toSorted((one, other) => Date.parse(other.sent!) - Date.parse(one.sent!));
  const last = confirmed[0];
  const isOver = last === undefined || (last.end !== null && Date.parse(last.end) <= now);
  return { active: isOver ? undefined : last, waiting: modes.filter(({ sent }) => sent === null) };
}
