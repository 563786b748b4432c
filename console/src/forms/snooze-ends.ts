/** Snooze durations, by the viewer's clock. */
export const SNOOZES = ['hour', 'shift', 'tomorrow', 'week'] as const;
export type Snooze = (typeof SNOOZES)[number];

const HOUR_MS = 3_600_000;
/** The hour when people start to look at events of the night. */
const MORNING_H = 8;

export function snoozeEnd(snooze: Snooze, now: Date): Date {
  switch (snooze) {
    case 'hour':
      return new Date(now.getTime() + HOUR_MS);
    case 'shift':
      return new Date(now.getTime() + 8 * HOUR_MS);
    case 'tomorrow':
      return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, MORNING_H);
    case 'week':
      return new Date(now.getTime() + 7 * 24 * HOUR_MS);
  }
}
