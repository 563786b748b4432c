/**
 * A device that was without a network sends what it kept, in several reports: it speaks now of what was a while ago.
 * Until it has caught up, or sends no more, the clock must not take for silence what is only still on its way.
 */

/** A device is behind when its newest input is older than this at the time of its report. */
const BEHIND_MS = 60_000;
/** Phones that could not send try again after half a minute; one that was silent for longer has sent what it had. */
const SETTLE_MS = 60_000;
/** Settling ends at whole steps, so that not every report moves it. */
const STEP_MS = 15_000;

/** @param at of the newest input */
export const isBehind = (at: number, heardAt: number) => at < heardAt - BEHIND_MS;

/** When a device that is behind will have settled, if it is not heard any more. */
export const settlesAt = (heardAt: number) => Math.ceil((heardAt + SETTLE_MS) / STEP_MS) * STEP_MS;
