/** What a device reported: only the ids of points and readings, to keep the log small and fast. */
export interface ReportedEvent {
  readonly points?: readonly number[];
  readonly readings?: readonly number[];
  readonly device?: DeviceChange;
}

/** The changed fields of a device; absent fields are unchanged. Times are epoch milliseconds. */
export interface DeviceChange {
  readonly lastConnection?: number;
  readonly moving?: boolean | null;
  readonly batteryPct?: number;
  readonly batteryVoltage?: number;
  readonly currentMode?: number;
}

/**
 * What was heard of a device, as the log has it. A usual report makes up nearly all of the log, so it is written in a tenth
 * of the JSON: `first point,points,moving,battery %,battery V,mode`, each but the first two empty where it is absent.
 */

/** @param created when the entry is written, which is mostly the time of the connection too */
export function heardText(event: ReportedEvent, created: number): string {
  const { points = [], readings, device } = event;
  if (readings !== undefined || device === undefined || device.lastConnection !== created || !isRow(points))
    return JSON.stringify(event);
  const { moving, batteryPct, batteryVoltage, currentMode } = device;
  return `${points[0] ?? 0},${points.length},${MOVING.indexOf(moving)},${batteryPct ?? ''},${batteryVoltage ?? ''},${currentMode ?? ''}`;
}

/** By their places in the text. */
const MOVING: readonly DeviceChange['moving'][] = [undefined, null, false, true];

/** Whether each id follows the one before it, as those of a report do. */
function isRow(ids: readonly number[]): boolean {
  for (let index = 1; index < ids.length; index++) if (ids[index] !== ids[index - 1]! + 1) return false;
  return true;
}

export function readHeard(text: string, created: number): ReportedEvent {
  if (text.startsWith('{')) return JSON.parse(text);
  const [first, count, moving, batteryPct, batteryVoltage, currentMode] = text.split(',');
  const isMoving = MOVING[Number(moving)];
  return {
    points: Array.from({ length: Number(count) }, (_, index) => Number(first) + index),
    device: {
      lastConnection: created,
      ...(isMoving !== undefined && { moving: isMoving }),
      ...(batteryPct !== '' && { batteryPct: Number(batteryPct) }),
      ...(batteryVoltage !== '' && { batteryVoltage: Number(batteryVoltage) }),
      ...(currentMode !== '' && { currentMode: Number(currentMode) }),
    },
  };
}
