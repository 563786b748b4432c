import type { LiveEvent } from '../../live/append-live-events.ts';
import type { Input, StoredReading } from '../evaluate/inputs.ts';
import type { LockedReportingState } from '../state/lock-state.ts';
import type { AppendedPosition } from './position.ts';

export interface ReadingOwner {
  readonly gatewayId: number | null;
  readonly deviceId: number | null;
  readonly datapointId: number | null;
}

/** What one transaction does for one device. */
export interface DeviceBatch {
  readonly stateRow: LockedReportingState;
  readonly deviceId: number;
  /** Whether the device itself reported, rather than only a gateway that is near it. */
  hasReported: boolean;
  /** All but the fixes, which follow from the positions. */
  readonly inputs: Input[];
  readonly points: AppendedPosition[];
  readonly readings: (StoredReading & ReadingOwner)[];
  readonly messages: LiveEvent[];
}

export const emptyBatch = (stateRow: LockedReportingState): DeviceBatch => ({
  stateRow,
  deviceId: stateRow.deviceId,
  hasReported: false,
  inputs: [],
  points: [],
  readings: [],
  messages: [],
});
