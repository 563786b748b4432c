import type { Telling } from '../../live/tell.ts';
import type { Input } from '../judge/inputs.ts';
import type { StoredReading } from '../judge/to-fix.ts';
import type { SpeakingLine } from '../state/device-state-row.ts';
import type { AppendedPoint, ReadingPlace } from './append-rows.ts';

/** What one transaction does for one device. */
export interface DeviceWork {
  readonly line: SpeakingLine;
  readonly deviceId: number;
  /** Whether the device itself spoke, or others spoke of it. */
  isHeard: boolean;
  /** All but the fixes, which follow from the points. */
  readonly inputs: Input[];
  readonly points: AppendedPoint[];
  readonly readings: (StoredReading & ReadingPlace)[];
  readonly messages: Telling[];
}
