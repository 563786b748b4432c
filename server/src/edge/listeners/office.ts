import type { Log } from '../../platform/log.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { TrackerProtocol, TrackerSession } from '../protocols/trackers/tracker.ts';
import type { Clones } from './clones.ts';
import type { TrackerCommands } from './commands.ts';
import type { Repeats } from './repeats.ts';
import type { SpeakerOffice } from './speaker.ts';
import type { StandingAlarms } from './standing-alarms.ts';

/** What all conversations share. */
export interface TrackerOffice extends SpeakerOffice {
  readonly protocols: readonly TrackerProtocol[];
  /** Frames per minute allowed for each device. */
  readonly limit: RateLimit;
  readonly alarms: StandingAlarms;
  /** What trackers heard of others, so that what does not change is stored now and then only. */
  readonly hearings: Repeats;
  readonly commands: TrackerCommands;
  readonly clones: Clones;
  readonly log: Pick<Log, 'error' | 'warn'>;
}

/** What the operator said of a port. */
export interface TrackerPort {
  /** Absent: whoever speaks is recognised. */
  readonly protocol?: TrackerProtocol | undefined;
  /** One connection may speak for many devices. */
  readonly isRelay?: boolean | undefined;
  readonly acceptsWrongChecksum?: boolean | undefined;
}

/** The other end of a conversation. */
export interface Line {
  readonly address: string;
  readonly transport: TrackerSession['transport'];
  /** Sends answers in their order; false where it is closed. */
  send(answers: readonly Buffer[]): boolean;
  close(): void;
  /** Whether more is read from it. */
  setReading(isReading: boolean): void;
}
