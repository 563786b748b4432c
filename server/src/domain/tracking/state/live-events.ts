import { message as messageNoun } from '@trackway/contract/resources/message.ts';
import { presentRow, type Row } from '../../../platform/storage/shape.ts';
import { presentNotification } from '../../delivery/presented.ts';
import type { DeviceChange, LiveEvent } from '../../live/append-live-events.ts';
import { isMoving } from '../../motion/motion.ts';
import { shapeOf } from '../../schema/shape.ts';
import type { DeviceState } from '../evaluate/device-state.ts';
import type { RecordedNotification } from './record-notification.ts';

/** The data of a report for live streams. */

interface Report {
  readonly points: readonly Pick<Reported, 'id' | 'timestamp' | 'batteryPct' | 'batteryVoltage' | 'mode'>[];
  readonly readings: readonly { readonly id: number; readonly deviceId: number | null }[];
}

interface Reported {
  readonly id: number;
  readonly timestamp: number;
  readonly batteryPct: number | null;
  readonly batteryVoltage: number | null;
  readonly mode: number | null;
}

const messageShape = shapeOf(messageNoun);

/** The device itself spoke. */
export function reportEvents(
  deviceId: number,
  { points, readings }: Report,
  state: DeviceState,
  now: number,
): LiveEvent[] {
  const own: number[] = [];
  const ofOthers = new Map<number, number[]>();
  for (const reading of readings) {
    if (reading.deviceId === null || reading.deviceId === deviceId) own.push(reading.id);
    else ofOthers.set(reading.deviceId, [...(ofOthers.get(reading.deviceId) ?? []), reading.id]);
  }
  let last: Reported | undefined;
  for (const point of points) if (last === undefined || point.timestamp >= last.timestamp) last = point;
  const device: DeviceChange = {
    lastConnection: now,
    moving: movingIn(state),
    batteryPct: last?.batteryPct ?? undefined,
    batteryVoltage: last?.batteryVoltage ?? undefined,
    currentMode: last?.mode ?? undefined,
  };
  const event = { points: points.map(({ id }) => id), readings: own.length > 0 ? own : undefined, device };
  const liveEvents: LiveEvent[] = [{ kind: 'report', deviceId, event }];
  for (const [otherDeviceId, ids] of ofOthers)
    liveEvents.push({ kind: 'report', deviceId, otherDeviceId, event: { readings: ids } });
  return liveEvents;
}

const movingIn = ({ motion }: DeviceState) => (motion === undefined ? null : isMoving(motion));

/** Something but a report changed whether the device moves. */
export function motionEvents(deviceId: number, before: DeviceState, after: DeviceState): LiveEvent[] {
  const moving = movingIn(after);
  return moving === movingIn(before) ? [] : [{ kind: 'report', deviceId, event: { device: { moving } } }];
}

export const messageEvent = (deviceId: number, row: object): LiveEvent => ({
  kind: 'message',
  deviceId,
  event: presentRow(messageShape, row as Row),
});

/** A muted notification is recorded, but not published. */
export const notificationEvents = (recorded: readonly RecordedNotification[]): LiveEvent[] =>
  recorded
    .filter(({ status }) => status === 'valid')
    .map((row) => ({
      kind: 'notification',
      deviceId: row.deviceId,
      userId: row.userId,
      event: presentNotification(row),
    }));
