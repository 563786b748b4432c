import type { LiveEvent } from '../../live/append-live-events.ts';
import type { Input } from '../judge/inputs.ts';
import type { StoredReading } from '../judge/to-fix.ts';
import type { LockedReportingState } from '../state/lock-state.ts';
import type { AppendedPoint, ReadingOwner, ToPack } from './append-rows.ts';

/** What one transaction does for one device. */
export interface DeviceBatch {
  readonly stateRow: LockedReportingState;
  readonly deviceId: number;
  /** Whether the device itself reported, rather than only a gateway that is near it. */
  hasReported: boolean;
  /** All but the fixes, which follow from the positions. */
  readonly inputs: Input[];
  readonly points: AppendedPoint[];
  /** Those of them that are imported: they are judged, but nobody is told of them. */
  readonly imported: AppendedPoint[];
  /** Those of the imported that are not stored yet: they are packed once they are judged. */
  readonly toPack: ToPack[];
  readonly readings: (StoredReading & ReadingOwner)[];
  readonly messages: LiveEvent[];
}
